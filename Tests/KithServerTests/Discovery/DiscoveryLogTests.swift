import Foundation
import KithModel
import KithServer
import Logging
import OPRF
import Testing

@Suite("The log has neither a secret key of discovery nor what is evaluated", .timeLimit(.minutes(15)))
struct DiscoveryLogTests {
    private let folder = Folder()

    private struct Crash: Error {}

    /// What must not be in a log, and how to call it.
    private struct Hidden {
        let name: String
        let bytes: [UInt8]

        /// The ways in which a line may show the bytes, or their beginning or end if it is cut.
        var traces: [String] {
            let digits = Hex.text(Data(bytes))
            let pairs = bytes.map { Hex.text(Data([$0])) }
            let numbers = bytes.map { String($0) }
            let base64 = Data(bytes).base64EncodedString()
            var traces = [String(base64.prefix(12)), String(Data(bytes).base64URL.prefix(12))]
            for text in [digits, digits.uppercased()] { traces += [String(text.prefix(16)), String(text.suffix(16))] }
            for separator in [" ", ":", ", ", ","] {
                traces += [pairs, pairs.map { $0.uppercased() }, numbers].flatMap {
                    [$0.prefix(8).joined(separator: separator), $0.suffix(8).joined(separator: separator)]
                }
            }
            return traces
        }

        func isShown(in text: String) -> Bool { traces.contains { text.contains($0) } }
    }

    /// What can be wrong with a file of keys.
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case cut, list, shortSecret, oddSecret, openToOthers

        var testDescription: String { rawValue }

        fileprivate func apply(to file: URL, _ secret: String) throws {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let damaged =
                switch self {
                case .cut: String(text.dropLast(6))
                case .list: "[\(text)]"
                case .shortSecret: text.replacing(secret, with: String(secret.dropLast(2)))
                case .oddSecret: text.replacing(secret, with: "\(secret)!")
                case .openToOthers: text
                }
            // Replaced at once, so that a server that reads meanwhile finds the one or the other.
            let draft = file.path + ".draft"
            try Data(damaged.utf8).write(to: URL(filePath: draft))
            let mode = self == .openToOthers ? 0o644 : 0o600
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: draft)
            try #require(rename(draft, file.path) == 0)
        }
    }

    private static func hidden(_ keys: [DiscoveryKey]) -> [Hidden] {
        keys.map { Hidden(name: "the key \($0.id)", bytes: $0.secret.bytes) }
    }

    /// Serves with the keys of `file`, logs everything, and returns the log.
    private static func logged(
        _ database: SQLiteDatabase, _ file: URL, _ body: (TestServer) async throws -> Void
    ) async throws -> String {
        let (clock, log) = (HandClock(), LogKeeper())
        var logger = log.logger
        logger.logLevel = .trace
        let server = KithServer(
            ServerDependencies(
                .patient, ServerDatabase(database), discoveryKeys: DiscoveryKeys(file: file), clock: clock.server,
                logger: logger))
        try await server.serving { try await body(TestServer(url: $0, clock: clock, log: log)) }
        return log.text
    }

    @Test("The search would find a secret in every notation of a log line") func control() {
        let hidden = Hidden(name: "a key", bytes: Array(200..<232))
        let data = Data(hidden.bytes)
        for text in [Hex.text(data), data.base64EncodedString(), data.base64URL, "\(hidden.bytes)"] {
            #expect(hidden.isShown(in: "info A line. key=\(text)"))
        }
        #expect(!hidden.isShown(in: "info A line. key=\(Hex.text(Data(repeating: 7, count: 32)))"))
    }

    @Test("Start, evaluations, wrong requests, a rotation and a failing database leave no secret in the log")
    func use() async throws {
        let file = folder.url.appending(path: "keys")
        let database = try SQLiteDatabase.inMemory()
        let seeker = try await Seeker(database, keys: DiscoveryKeys(file: file))
        for person in ["tel:+436641234567", "mailto:ada@example.com"] {
            try await seeker.register(person, at: HandClock.start)
        }
        var hidden: [Hidden] = []
        let log = try await Self.logged(database, file) { server in
            let token = try await server.newSession().token
            for _ in 0..<2 {
                // Under the first key, and under the one that takes its place.
                let described: DiscoveryDescription = try await server.ask("GET", "/v1/discovery", token: token)
                    .decoded()
                let key = try #require(described.keys.first?.id)
                hidden += try await Self.evaluate(under: key, with: server, token)
                let element = Data(try #require(hidden.last?.bytes)).base64URL
                hidden += try await Self.mistake(element, under: key, with: server, token)
                database.onCommit = { if $0 == .before { throw Crash() } }
                let failed = try await server.ask(
                    "POST", "/v1/discovery/evaluations", token: token,
                    json: EvaluationRequest(key: key, elements: [element]))
                #expect(failed.status == 500)
                database.onCommit = nil
                _ = try seeker.keys.add()
                try await seeker.keepUp(at: HandClock.start)
            }
            let described: DiscoveryDescription = try await server.ask("GET", "/v1/discovery", token: token).decoded()
            #expect(described.keys.count > 1)
        }
        hidden += Self.hidden(try seeker.keys.all())
        #expect(hidden.count > 10)
        #expect(log.contains("operation=evaluate") && log.contains("operation=showDiscovery"))
        for secret in hidden { #expect(!secret.isShown(in: log), "\(secret.name) is in the log.") }
    }

    @Test("The error about a damaged key file does not contain its content", arguments: Damage.allCases)
    func damaged(damage: Damage) async throws {
        let file = folder.url.appending(path: "keys")
        let database = try SQLiteDatabase.inMemory()
        let keys = DiscoveryKeys(file: file)
        _ = try keys.add()
        let all = try keys.all()
        let hidden = Self.hidden(all)
        let text = Data(try #require(all.last).secret.bytes).base64URL

        let log = try await Self.logged(database, file) { server in
            let token = try await server.newSession().token
            let described: DiscoveryDescription = try await server.ask("GET", "/v1/discovery", token: token).decoded()
            let key = try #require(described.keys.first?.id)
            try damage.apply(to: file, text)
            let element = Data(try RistrettoPRF().blind([Array("tel:+436641234567".utf8)])[0].element).base64URL
            let asked = try await server.ask("GET", "/v1/discovery", token: token)
            let evaluated = try await server.ask(
                "POST", "/v1/discovery/evaluations", token: token,
                json: EvaluationRequest(key: key, elements: [element]))
            for reply in [asked, evaluated] {
                try problem(in: reply, 503, .busy)
                let text = String(decoding: reply.body, as: UTF8.self)
                for secret in hidden { #expect(!secret.isShown(in: text), "\(secret.name) is in an answer.") }
            }
        }
        #expect(log.contains("The file of the discovery keys"))
        // Another start, over the file as it is.
        let second = try await Self.logged(database, file) { server in
            while !server.log.text.contains("The upkeep of the keys of discovery failed") { await Task.yield() }
        }
        let failure = #expect(throws: ServerError.self) { try DiscoveryKeys(file: file).all() }
        let error = try #require(failure)
        for text in [log, second, "\(error)", String(reflecting: error)] {
            for secret in hidden { #expect(!secret.isShown(in: text), "\(secret.name) is in “\(text.prefix(80))…”.") }
        }
    }

    /// Has two inputs evaluated, and returns what was sent and what was answered.
    private static func evaluate(
        under key: String, with server: TestServer, _ token: String
    ) async throws -> [Hidden] {
        let blinded = try RistrettoPRF().blind(["tel:+436641234567", "tel:+436647654321"].map { Array($0.utf8) })
        let request = EvaluationRequest(key: key, elements: blinded.map { Data($0.element).base64URL })
        let answer: EvaluationAnswer = try await server.ask(
            "POST", "/v1/discovery/evaluations", token: token, json: request
        ).decoded()
        let evaluated = try answer.elements.map { Array(try #require(Data(base64URL: $0))) }
        return blinded.map { Hidden(name: "a blinded element", bytes: $0.element) }
            + evaluated.map { Hidden(name: "an evaluated element", bytes: $0) }
    }

    /// Sends an element in requests that are refused, and returns it.
    private static func mistake(
        _ element: String, under key: String, with server: TestServer, _ token: String
    ) async throws -> [Hidden] {
        let path = "/v1/discovery/evaluations"
        let bodies = [
            #"{"key":"\#(key)","elements":["\#(element)","\#(element)="]}"#,
            #"{"key":"\#(element)","elements":["\#(element)"]}"#, #"{"key":"\#(key)","elements":"\#(element)"}"#,
            #"{"\#(element)":1,"\#(element)":2}"#, #"["\#(element)"]"#, #"{"key":"\#(element)"#,
        ]
        for body in bodies {
            let reply = try await server.ask(
                "POST", path, token: token, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
            #expect((400..<500).contains(reply.status), "\(body)")
        }
        let many = EvaluationRequest(key: key, elements: Array(repeating: element, count: Limits.evaluations + 1))
        try problem(in: try await server.ask("POST", path, token: token, json: many), 422, .tooMany)
        let untyped = try await server.ask("POST", path, token: token, body: Data(bodies[0].utf8))
        try problem(in: untyped, 400, .malformed)
        for path in ["/v1/discovery/\(element)", "/v1/links/\(element)"] {
            try problem(in: try await server.ask("GET", path, token: token), 404, .notFound)
        }
        return [Hidden(name: "an element in a wrong place", bytes: Array(try #require(Data(base64URL: element))))]
    }
}
