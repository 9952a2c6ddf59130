import CPhoneNumber
import Foundation
import KithModel
import PhoneNumbers

/// Measures reading telephone numbers as people write them, with Austria as the region.
struct NumberReading {
    private let numbers = (0..<20_000).map { Person($0, hasPhotos: false) }
        .flatMap { [$0.mobile, $0.landline].compactMap(\.self) }
    private let parser = LibPhoneNumber()
    private let region = Region("AT")

    func measure(into table: Table) {
        let floor = rate(of: numbers) { text in
            var number = CPhoneNumber()
            return CPhoneNumberRead(text, text.utf8.count, "AT", &number)
        }
        row(
            "E.164 of \(numbers.count) numbers", rate(of: numbers) { parser.e164($0, in: region) != nil }, floor,
            in: table)
        row(
            "  all that is known of them", rate(of: numbers) { parser.parse($0, in: region).e164 != nil }, floor,
            in: table)
        // Every prefix of each number, as it is typed into a field.
        let typed = numbers.prefix(2_000).flatMap { number in number.indices.map { String(number[...$0]) } }
        let typing = rate(of: typed) { !parser.formatted(asTyped: $0, in: region).isEmpty }
        table.row("  grouped as they are typed", "\(Int(typing)) a second", "", "")
    }

    private func row(_ what: String, _ rate: Double, _ floor: Double, in table: Table) {
        table.row(what, "\(Int(rate)) a second", "\(Int(floor)) a second", String(format: "%.2f", floor / rate))
    }

    private func rate(of numbers: [String], _ read: (String) -> Bool) -> Double {
        // The first calls initialise the library.
        for number in numbers.prefix(100) { precondition(read(number)) }
        let time = processorTime {
            for number in numbers { precondition(read(number)) }
        }
        return Double(numbers.count) / (time / .seconds(1))
    }
}
