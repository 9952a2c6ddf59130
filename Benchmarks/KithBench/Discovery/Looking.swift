import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

/// A device that looks up the numbers of its address book. One number in ten is registered.
struct Looking {
    private let client: KithClient
    private let service: RegisteredService
    private let file: URL
    private let isConnecting: Bool

    /// Registers one in ten of the numbers up to `count`.
    static func register(_ count: Int, at service: RegisteredService) async throws {
        for number in stride(from: 0, to: count, by: 10) {
            guard let identity = Identity("tel:\(Self.number(number))") else { continue }
            try await service.register(identity)
        }
    }

    /// Prepares an address book of `count` numbers. Each look connects with everybody it finds if `isConnecting`.
    init(_ count: Int, at service: RegisteredService, folder: URL, isConnecting: Bool = false) async throws {
        (self.service, self.isConnecting) = (service, isConnecting)
        // In a folder of its own: the address book watches the folder, and would notice each write of a database in it.
        let home = folder.appending(path: "book")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        file = home.appending(path: "looking.vcf")
        try Self.write(count, to: file)
        var configuration = KithConfiguration(storage: .directory(folder.appending(path: "looking")))
        configuration.transport = service
        configuration.region = Region("AT")
        client = try KithClient(configuration)
        _ = try await client.session.open()
        try await client.addressBook.addSource(.vCardFile(file))
        _ = try await client.addressBook.loaded()
        // Reads and normalises the numbers in advance. The benchmark of the address book measures this.
        _ = try await client.addressBook.identities()
        try await service.prepare()
        _ = service.spent()
    }

    /// Changes the address book to `count` numbers.
    func hold(_ count: Int) async throws {
        try Self.write(count, to: file)
        client.addressBook.reload()
        _ = try await client.addressBook.loaded()
        _ = try await client.addressBook.identities()
        // Wait until the watcher of the file has also read it.
        try await Task.sleep(for: .seconds(1))
    }

    /// Looks `times` times, each after a call of `before`, and prints the averages of one look.
    func row(
        _ what: String, times: Int = 1, into table: Table, after before: () async throws -> Void = {}
    ) async throws {
        var (total, spent, bytes, requests, found) = (Duration.zero, Duration.zero, 0, 0, 0)
        for _ in 0..<times {
            try await before()
            _ = service.spent()
            let start = clock()
            if isConnecting {
                // The service takes no contact requests.
                _ = try? await client.discovery.lookAgain(connecting: true)
            } else {
                try await client.discovery.lookAgain()
            }
            found = try await client.discovery.matches().count
            total += Duration.microseconds(Int64(clock() - start))
            let served = service.spent()
            (spent, bytes, requests) = (spent + served.time, bytes + served.bytes, requests + served.requests)
        }
        table.row(
            "\(what) (\(found) found)", shown((total - spent) / times), shown(spent / times),
            String(format: "%.2f MB", Double(bytes / times) / 1_000_000), "\(requests / times)")
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
