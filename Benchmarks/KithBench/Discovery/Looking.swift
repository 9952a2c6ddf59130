import Foundation
import Kith
import KithModel

/// A device that looks for the numbers of its address book, of which one in ten is on the service.
struct Looking {
    private let client: KithClient
    private let service: RegisteredService
    private let file: URL

    /// With so many numbers.
    init(_ count: Int, of all: Int, at service: RegisteredService, folder: URL) async throws {
        self.service = service
        file = folder.appending(path: "looking.vcf")
        try Self.write(count, to: file)
        for number in stride(from: 0, to: all, by: 10) {
            guard let identity = Identity("tel:\(Self.number(number))") else { continue }
            try await service.register(identity)
        }
        var configuration = KithConfiguration(storage: .directory(folder.appending(path: "looking")))
        configuration.transport = service
        configuration.region = Region("AT")
        client = try KithClient(configuration)
        _ = try await client.session.open()
        try await client.addressBook.addSource(.vCardFile(file))
        _ = try await client.addressBook.loaded()
        // Reading and writing numbers is the address book's, and is measured there.
        _ = try await client.addressBook.identities()
        try await service.prepare()
        _ = service.spent()
    }

    /// That many numbers more in the address book.
    func add(_ count: Int) async throws {
        try Self.write(2_000 + count, to: file)
        client.addressBook.reload()
        _ = try await client.addressBook.loaded()
        _ = try await client.addressBook.identities()
    }

    /// Looks so many times, and tells what one took.
    func row(_ what: String, times: Int = 1, into table: Table) async throws {
        let start = clock()
        var summary = try await client.discovery.lookAgain()
        for _ in 0..<(times - 1) { summary = try await client.discovery.lookAgain() }
        let total = Duration.microseconds(Int64(clock() - start))
        let spent = service.spent()
        table.row(
            "\(what) (\(summary.matches.count) found)", shown((total - spent.time) / times),
            shown(spent.time / times), String(format: "%.2f MB", Double(spent.bytes / times) / 1_000_000),
            "\(spent.requests / times)")
    }

    private func shown(_ time: Duration) -> String { String(format: "%.1f ms", time / .milliseconds(1)) }

    private static func number(_ number: Int) -> String { "+43664\(1_000_000 + number)" }

    private static func write(_ count: Int, to file: URL) throws {
        let cards = (0..<count).map { index in
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Person \(index)\r\nTEL:\(Self.number(index))\r\nEND:VCARD\r\n"
        }
        try Data(cards.joined().utf8).write(to: file, options: .atomic)
    }
}
