import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel
import Synchronization

/// A device that looks for people.
struct Seeking: Sendable {
    let client: KithClient
    let line: Line
    let book: URL

    var discovery: Discovery { client.discovery }

    /// Makes the address book again.
    func write(_ people: [(String, String)]) throws {
        try Data(Self.vCards(people).utf8).write(to: book, options: .atomic)
    }

    /// The vCards of people who each have a number or an email.
    static func vCards(_ people: [(String, String)]) -> String {
        people.map { name, value in
            let line = value.contains("@") ? "EMAIL:\(value)" : "TEL:\(value)"
            return "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\(name)\r\n\(line)\r\nEND:VCARD\r\n"
        }.joined()
    }

    /// Makes the address book again, and has it read.
    func setBook(_ people: [(String, String)]) async throws {
        try write(people)
        client.addressBook.reload()
        _ = try await client.addressBook.loaded()
    }

    /// The names of those who are shown as being on the service.
    var found: Set<String> {
        Set((client.addressBook.contacts ?? []).filter(\.isOnService).map(\.displayName))
    }
}

/// A way to the server that counts what goes over it, and breaks when a test says so.
final class Line: Transport {
    private struct State {
        var transport: any Transport
        /// Where it leads after so many requests more.
        var next: (transport: any Transport, after: Int)?
        var requests: [String] = []
        var intact = Int.max
        /// What answers with buckets become on their way.
        var change: (@Sendable (BucketAnswer) -> BucketAnswer)?
        /// The bytes of the answers of discovery.
        var bytes = 0
        /// The prefixes of each request for whole buckets, also of those that did not arrive.
        var prefixes: [[UInt32]] = []
        /// Paths that the server does not know.
        var hidden: Set<String> = []
        /// What answers become on their way, by their paths.
        var replaced: [String: Data] = [:]
        /// What happens before the next request of a path.
        var before: [String: @Sendable () async throws -> Void] = [:]

        mutating func note(_ request: TransportRequest) {
            guard let body = request.body, let asked = try? JSONDecoder().decode(BucketRequest.self, from: body),
                asked.since == nil
            else { return }
            prefixes.append(asked.prefixes)
        }
    }

    private let state: Mutex<State>

    init(_ transport: any Transport) { state = Mutex(State(transport: transport)) }

    /// Leads to another server, from here on or after so many requests more.
    func leads(to server: URL, after count: Int = 0) {
        state.withLock { $0.next = (SystemTransport(patient: server), count) }
    }

    /// Changes answers with buckets on their way, as a server may that answers some of them.
    func changes(_ body: (@Sendable (BucketAnswer) -> BucketAnswer)?) { state.withLock { $0.change = body } }

    /// Answers as a server that does not know the path.
    func hide(_ path: String) { state.withLock { _ = $0.hidden.insert(path) } }

    /// Replaces the answers of a path; nil ends that.
    func replaces(_ path: String, by data: Data?) { state.withLock { $0.replaced[path] = data } }

    /// Does something before the next request of a path.
    func before(_ path: String, _ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.before[path] = body }
    }

    /// The prefixes of each request for whole buckets, also of those that did not arrive.
    var prefixes: [[UInt32]] { state.withLock(\.prefixes) }

    /// The bytes of the answers of discovery since this was last read.
    func takenBytes() -> Int {
        state.withLock { state in
            defer { state.bytes = 0 }
            return state.bytes
        }
    }

    /// The paths that were asked for since this was last read, without their queries.
    func taken() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests.filter { $0.hasPrefix("/v1/discovery") }
        }
    }

    /// Breaks after so many requests more.
    func breaks(after count: Int) { state.withLock { $0.intact = count } }

    func mend() { state.withLock { $0.intact = .max } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        typealias Way = (Bool, any Transport, (@Sendable (BucketAnswer) -> BucketAnswer)?)
        let path = request.path.split(separator: "?").first.map(String.init) ?? request.path
        try await state.withLock { $0.before.removeValue(forKey: path) }?()
        let (isIntact, transport, change) = state.withLock { state -> Way in
            // Which server answers is asked besides, and counts for nothing here.
            guard request.path != "/ready" else { return (state.intact > 0, state.transport, nil) }
            state.requests.append(path)
            state.note(request)
            state.intact -= 1
            if let next = state.next {
                if next.after == 0 { state.transport = next.transport }
                state.next = next.after == 0 ? nil : (next.transport, next.after - 1)
            }
            return (state.intact >= 0, state.transport, state.change)
        }
        guard isIntact else { throw KithError(.offline, "The line is broken.") }
        if state.withLock({ $0.hidden.contains(path) }) {
            let problem = Problem(
                status: 404, title: "Not found", code: .notFound, detail: "There is no such resource.", id: "1")
            return TransportResponse(status: 404, body: try JSONEncoder().encode(problem))
        }
        var response = try await transport.send(request)
        if let change, let answer = BucketAnswer(response.body) { response.body = change(answer).data }
        if let replaced = state.withLock({ $0.replaced[path] }) { response.body = replaced }
        if path.hasPrefix("/v1/discovery") { state.withLock { [size = response.body.count] in $0.bytes += size } }
        return response
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        state.withLock(\.transport).events(request)
    }
}

/// A way to the server that keeps what is evaluated, as it travels.
final class Wiretap: Transport {
    private let transport: any Transport
    private let kept = Mutex<[Data]>([])

    init(_ transport: any Transport) { self.transport = transport }

    var bodies: [Data] { kept.withLock(\.self) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if request.path.hasSuffix("evaluations"), let body = request.body { kept.withLock { $0.append(body) } }
        return try await transport.send(request)
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        transport.events(request)
    }
}
