import Foundation
import Processes
import Synchronization

/// A real mail relay, aiosmtpd in a process of its own, and what it has received.
final class MailRelay: Sendable {
    /// How the relay encrypts its connections.
    enum Mode: String { case starttls, implicit, plain }

    /// One line of the relay's output.
    struct Event: Decodable, Sendable {
        var event: String
        var connection: Int
        var name: String?
        var encrypted: Bool?
        var user: String?
        var sender: String?
        var recipients: [String]?
        var content: String?
    }

    let port: Int
    /// The relay's own certificate, which nobody has signed.
    let certificate: URL
    private let process: ChildProcess
    private let state: Events

    private final class Events: Sendable {
        let list = Mutex<[Event]>([])
    }

    private static let openssl = URL(filePath: "/usr/bin/openssl")

    /// Why the tests with a real relay are skipped; nil if they can run.
    static let missing = Peers.missing("aiosmtpd", programs: [openssl.path: "openssl"])

    /// Makes the certificate of a relay on this machine, which nobody signs, and its key.
    static func makeCertificate(in folder: Folder) async throws -> (certificate: URL, key: URL) {
        let certificate = folder.url.appending(path: "certificate.pem")
        let key = folder.url.appending(path: "key.pem")
        let made = try await FinishedProcess(
            openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", key.path, "-out", certificate.path, "-subj", "/CN=relay.example",
                "-addext", "subjectAltName=IP:127.0.0.1",
            ])
        guard made.status == 0 else { throw InVain(String(decoding: made.complaints, as: UTF8.self)) }
        return (certificate, key)
    }

    init(_ mode: Mode, in folder: Folder) async throws {
        let made = try await Self.makeCertificate(in: folder)
        certificate = made.certificate
        process = try await ChildProcess(
            Peers.python, [Peers.script("smtp_relay.py"), made.certificate.path, made.key.path, mode.rawValue],
            complaints: folder.url.appending(path: "relay.log"))
        let (process, state) = (process, Events())
        self.state = state
        let (ports, port) = AsyncStream<Int>.makeStream()
        Task {
            var isFirst = true
            for await line in process.lines {
                if isFirst { port.yield(Int(line) ?? 0) }
                isFirst = false
                if let event = try? JSONDecoder().decode(Event.self, from: Data(line.utf8)) {
                    state.list.withLock { $0.append(event) }
                }
            }
            port.finish()
        }
        let first = try await Limit("The relay listens").wait { await ports.first { _ in true } }
        guard let first, first > 0 else { throw InVain("The relay did not start.") }
        self.port = first
    }

    var events: [Event] { state.list.withLock { $0 } }
    var mails: [Event] { events.filter { $0.event == "mail" } }

    /// Waits until the relay has told `count` events of a kind.
    func wait(for count: Int, _ kind: String) async throws {
        let state = state
        try await Limit("The relay has told \(count) times: \(kind)").until {
            state.list.withLock { $0.count { $0.event == kind } } >= count
        }
    }

    func stop() async { await process.killed() }
}
