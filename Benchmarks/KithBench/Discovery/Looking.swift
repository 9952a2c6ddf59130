import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

/// A device that looks up the numbers of its address book. One number in ten is registered.
struct Looking {
    /// What one look costs: the processor time of each side, and the bytes in both directions.
    struct Look {
        var device = Duration.zero
        var server = Duration.zero
        var bytes = 0
    }

    struct WrongMatches: Error { let count: Int }

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

    /// Changes the address book to `count` numbers, and waits until its watcher has noticed.
    func hold(_ count: Int) async throws {
        var changes = client.addressBook.changes().makeAsyncIterator()
        _ = await changes.next()
        try Self.write(count, to: file)
        _ = await changes.next()
        _ = try await client.addressBook.identities()
        // Waits until everything is indexed, which takes processor time too.
        _ = client.addressBook.search("nobody")
    }

    /// Looks `times` times, each after a call of `before`, and returns the averages of one look.
    ///
    /// - Throws: ``WrongMatches`` unless each look finds one number in ten of `count`.
    func look(at count: Int, times: Int = 1, after before: () async throws -> Void = {}) async throws -> Look {
        var look = Look()
        for _ in 0..<times {
            try await before()
            _ = service.spent()
            let start = clock()
            if isConnecting {
                // The service takes no contact requests.
                _ = try? await client.discovery.look(connecting: true)
            } else {
                try await client.discovery.look()
            }
            let matches = try await client.discovery.matches().count
            look.device += Duration.microseconds(Int64(clock() - start))
            let served = service.spent()
            look.server += served.time
            look.bytes += served.bytes
            guard matches == (count + 9) / 10 else { throw WrongMatches(count: matches) }
        }
        look.device = (look.device - look.server) / times
        look.server /= times
        look.bytes /= times
        return look
    }

    private static func number(_ number: Int) -> String { "+43664\(1_000_000 + number)" }

    private static func write(_ count: Int, to file: URL) throws {
        let cards = (0..<count).map { index in
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Person \(index)\r\nTEL:\(Self.number(index))\r\nEND:VCARD\r\n"
        }
        try Data(cards.joined().utf8).write(to: file, options: .atomic)
    }
}
