import Foundation
import KithModel
import PhoneNumbers
import Testing

/// A mobile and a fixed number of each region of the world, as people write them.
///
/// From newer metadata than Debian's library has. The file is one of the corpora.
private struct Example {
    let region, kind, national, international, e164: String

    static let file = Corpora.folder.appending(path: "phones/examples.csv")

    static let isHere = FileManager.default.fileExists(atPath: file.path(percentEncoded: false))

    static func all() throws -> [Example] {
        try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst().map { line in
            let cells = line.split(separator: ",").map(String.init)
            try #require(cells.count == 5)
            return Example(
                region: cells[0], kind: cells[1], national: cells[2], international: cells[3], e164: cells[4])
        }
    }
}

@Suite("Example numbers of all countries", .enabled(if: Example.isHere, Corpora.absence))
struct ExampleTests {
    private let parser = LibPhoneNumber()

    @Test("Each has its E.164 form, in national and international notation")
    func e164() throws {
        let examples = try Example.all()
        #expect(examples.count == 489)
        for example in examples {
            let region = Region(example.region)
            #expect(parser.e164(example.national, in: region)?.text == example.e164, "\(example.region)")
            #expect(parser.e164(example.international, in: region)?.text == example.e164, "\(example.region)")
            #expect(parser.e164(example.international, in: nil)?.text == example.e164, "\(example.region)")
            #expect(parser.e164(example.e164, in: Region("US"))?.text == example.e164, "\(example.region)")
        }
    }

    @Test("Debian's older plans differ in these, and in no other")
    func differences() throws {
        var differences: [String] = []
        for example in try Example.all() {
            let number = parser.parse(example.national, in: Region(example.region))
            let kinds: [PhoneNumber.Kind] =
                example.kind == "mobile" ? [.mobile, .fixedLineOrMobile] : [.fixedLine, .fixedLineOrMobile]
            let place = "\(example.region) \(example.kind)"
            if number.national != example.national { differences.append("\(place): \(number.national)") }
            if number.international != example.international { differences.append("\(place): \(number.international)") }
            if !kinds.contains(number.kind) { differences.append("\(place): \(number.kind)") }
        }
        #expect(differences == Self.known)
    }

    /// What libphonenumber 8.12.57 says of numbers of which 9.0.43 says otherwise.
    private static let known = [
        // Since 2024 all numbers of Benin begin with 01.
        "BJ mobile: 0195123456", "BJ mobile: +229 0195123456", "BJ mobile: unknown",
        "BJ fixed: 0120211234", "BJ fixed: +229 0120211234", "BJ fixed: unknown",
        "CL fixed: unknown",
        "EG mobile: 0100 123 4567", "EG mobile: +20 100 123 4567",
        "EH mobile: 0650-123456", "EH mobile: +212 650-123456", "EH fixed: 05288-12345", "EH fixed: +212 5288-12345",
        "FO mobile: 211234", "FO mobile: +298 211234", "FO fixed: 201234", "FO fixed: +298 201234",
        "LT mobile: (8-612) 34567", "LT fixed: (8-312) 34567",
        "MA mobile: 0650-123456", "MA mobile: +212 650-123456", "MA fixed: 0520-123456", "MA fixed: +212 520-123456",
        "NG fixed: 2033123456", "NG fixed: +234 2033123456", "NG fixed: unknown",
        "NO mobile: 406 12 345", "NO mobile: +47 406 12 345",
        "SJ mobile: 412 34 567", "SJ mobile: +47 412 34 567",
        "SK fixed: 02/212 345 67", "SK fixed: +421 2/212 345 67",
        "TJ mobile: 917 12 3456", "TJ mobile: +992 917 12 3456",
        "UZ mobile: 8 91 234 56 78", "UZ fixed: 8 66 905 01 23",
        "VN mobile: 091 234 56 78", "VN mobile: +84 91 234 56 78",
    ]
}
