import Foundation
import GRDB
import Kith
import KithAddressBook
import KithModel
import Synchronization
import Testing

/// The sources that the contract holds for.
enum SourceKind: String, CaseIterable, CustomTestStringConvertible {
    case file, folder, fakeServer, radicale, xandikos

    var testDescription: String { rawValue }

    /// Those whose programs are installed here. CI has them all.
    static let all = allCases.filter { $0.server.map { $0.path != nil } ?? true }
    /// Those into which a program can write what is no vCard. Radicale then gives no answer at all.
    static let takingBrokenCards = all.filter { $0 != .radicale }

    var server: DAVServerProcess.Program? {
        switch self {
        case .radicale: .radicale
        case .xandikos: .xandikos
        default: nil
        }
    }

    /// Makes an empty source of this kind, and does `work` with it.
    func withWorkshop(_ work: (any Workshop) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let workshop: any Workshop =
            switch self {
            case .file: try FileWorkshop(in: folder.url)
            case .folder: try FolderWorkshop(in: folder.url)
            case .fakeServer: try FakeServerWorkshop()
            case .radicale: try await ServerWorkshop(.radicale, in: folder.url)
            case .xandikos: try await ServerWorkshop(.xandikos, in: folder.url)
            }
        try await work(workshop)
        await workshop.close()
    }
}

/// A source, and what other programs do to what it reads.
protocol Workshop: AnyObject, Sendable {
    var source: any AddressBookSource { get }

    /// Another one that has read nothing yet, as after a restart.
    func reopened() throws -> any AddressBookSource
    /// Writes a card, new or in place of the one of this name.
    func put(_ name: String, _ bytes: [UInt8]) async throws
    func remove(_ name: String) async throws
    /// Takes the source away; then it comes back as it was.
    func takeAway() async throws
    func bringBack() async throws
    /// What the source fails with while it is away.
    var codeWhileAway: KithError.Code { get }
    /// Lets the time pass after which a source looks for changes, if it does not hear of them.
    func letTimePass() async
    func close() async
}

extension Workshop {
    func letTimePass() async {}
    func close() async {}
}

final class FileWorkshop: Workshop {
    let url: URL
    let source: any AddressBookSource
    private let cards = Mutex<[(name: String, bytes: [UInt8])]>([])

    init(in folder: URL) throws {
        url = folder.appending(path: "contacts.vcf")
        source = VCardFileSource(url)
        try write()
    }

    func reopened() -> any AddressBookSource { VCardFileSource(url) }

    func put(_ name: String, _ bytes: [UInt8]) throws {
        cards.withLock { cards in
            if let index = cards.firstIndex(where: { $0.name == name }) {
                cards[index].bytes = bytes
            } else {
                cards.append((name, bytes))
            }
        }
        try write()
    }

    func remove(_ name: String) throws {
        cards.withLock { $0.removeAll { $0.name == name } }
        try write()
    }

    func takeAway() throws { try FileManager.default.removeItem(at: url) }
    func bringBack() throws { try write() }
    var codeWhileAway: KithError.Code { .notFound }

    private func write() throws { try Data(cards.withLock { $0.flatMap(\.bytes) }).write(to: url) }
}

final class FolderWorkshop: Workshop {
    let url: URL
    let source: any AddressBookSource
    private var aside: URL { url.appendingPathExtension("away") }

    init(in folder: URL) throws {
        url = folder.appending(path: "book", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        source = VCardFolderSource(url)
    }

    func reopened() -> any AddressBookSource { VCardFolderSource(url) }
    func put(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: url.appending(path: name + ".vcf")) }
    func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appending(path: name + ".vcf")) }
    func takeAway() throws { try FileManager.default.moveItem(at: url, to: aside) }
    func bringBack() throws { try FileManager.default.moveItem(at: aside, to: url) }
    var codeWhileAway: KithError.Code { .notFound }
}

/// A CardDAV source over a database in memory.
struct Account {
    static let pollingInterval = Duration.seconds(60)

    let database: DatabaseQueue
    let clock: ManualClock
    let transport: any DAVTransport
    let address: URL
    var withoutTLS = false
    var schedule = PollingSchedule(every: Account.pollingInterval)

    init(_ address: URL, _ transport: any DAVTransport, clock: ManualClock = ManualClock()) throws {
        (self.address, self.transport, self.clock) = (address, transport, clock)
        database = try DatabaseQueue()
        try AddressBookSchema.migrator.migrate(database)
    }

    func open(password: String = FakeDAVServer.password) -> CardDAVSource {
        CardDAVSource(
            at: address, user: "ada", password: password, withoutTLS: withoutTLS, id: "work", database: database,
            transport: transport, clock: clock, schedule: schedule)
    }

    /// A source that has read all cards.
    func loaded() async throws -> CardDAVSource {
        let source = open()
        _ = try await source.contents()
        return source
    }
}

final class FakeServerWorkshop: Workshop {
    let server = FakeDAVServer()
    let account: Account
    let source: any AddressBookSource

    init() throws {
        account = try Account(FakeDAVServer.address, server)
        source = account.open()
    }

    func reopened() -> any AddressBookSource { account.open() }
    func put(_ name: String, _ bytes: [UInt8]) { server.change { $0.set(name + ".vcf", bytes) } }
    func remove(_ name: String) { server.change { $0.set(name + ".vcf", nil) } }
    func takeAway() { server.change { $0.isAway = true } }
    func bringBack() { server.change { $0.isAway = false } }
    var codeWhileAway: KithError.Code { .offline }
    func letTimePass() async { await account.clock.pass(Account.pollingInterval) }
}

final class ServerWorkshop: Workshop {
    let server: DAVServerProcess
    let account: Account
    let source: any AddressBookSource

    init(_ program: DAVServerProcess.Program, in folder: URL) async throws {
        server = try DAVServerProcess(program, folder: folder.appending(path: "server"))
        try await server.start()
        account = try Account(server.url, SystemDAVTransport())
        source = account.open()
    }

    struct Refused: Error { let status: Int? }

    func reopened() -> any AddressBookSource { account.open() }
    func put(_ name: String, _ bytes: [UInt8]) async throws {
        let status = try await server.send("PUT", server.book + name + ".vcf", bytes)
        guard status == 201 || status == 204 else { throw Refused(status: status) }
    }
    func remove(_ name: String) async throws { try await server.send("DELETE", server.book + name + ".vcf") }
    func takeAway() async { await server.stop() }
    func bringBack() async throws { try await server.start() }
    var codeWhileAway: KithError.Code { .offline }
    func letTimePass() async { await account.clock.pass(Account.pollingInterval) }
    func close() async { await server.stop() }
}
