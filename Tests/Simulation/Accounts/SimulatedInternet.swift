import Foundation
import Kith
import KithModel
import KithServer

/// Delivers requests: knows which server has which address, and loses some requests and answers.
///
/// It checks each request before it delivers it. Sending a token or an edit to a server that it does not belong to
/// breaks law 13.
// @unchecked: a world does one thing at a time.
final class SimulatedInternet: @unchecked Sendable {
    /// The account and the server of a token.
    struct Grant {
        let account: AccountID
        let server: Int
    }

    let servers: [SimulatedServer]
    /// The server that each address leads to now.
    var places: [URL: Int] = [:]
    /// The number of lines. Each client has its own, even if a device has several clients.
    private var lines = 0
    /// The lines that broke when a server moved. The next request on each fails, so that its client notices.
    private var brokenLines: Set<Int> = []
    /// Devices without a network.
    var offline: Set<Int> = []
    /// The parts of the servers that sign people in; empty in worlds where nobody signs in.
    var signIn: [SimulatedSignIn] = []
    /// The judge of each of them.
    var signInAuditors: [SignInAuditor] = []
    /// Whether some requests and answers are lost.
    var isLossy: Bool
    /// Whether some requests about records arrive twice.
    var isDoubling = false
    /// Whether servers crash while they serve requests about records.
    var hasCrashes = false
    var time = Timestamp(milliseconds: 1_790_000_000_000)
    /// All tokens that any server has created.
    private(set) var grants: [String: Grant] = [:]
    /// Tokens that their servers do not accept any more, including those of deleted accounts.
    var deadTokens: Set<String> = []
    /// Accounts of which a session has ended, whoever ended it.
    var ended: Set<AccountID> = []
    /// The device that opened each account.
    private(set) var openers: [AccountID: Int] = [:]
    /// A token that a person has just entered. The device cannot know which server it belongs to.
    var typedToken: String?
    /// The violation of law 13; nil if there was none.
    private(set) var fault: String?
    private var random: SplitMix64

    init(servers: [SimulatedServer], isLossy: Bool = false, seed: UInt64) throws {
        self.servers = servers
        self.isLossy = isLossy
        random = SplitMix64(world: seed)
        for index in servers.indices { places[try Self.address(index)] = index }
    }

    /// The address with a number. At first, each server has that with its own.
    static func address(_ number: Int = 0) throws -> URL {
        guard let url = URL(string: "https://\(number).example") else { throw CocoaError(.fileReadInvalidFileName) }
        return url
    }

    /// The server of an account.
    func home(of account: AccountID) -> Int? { grants.values.first { $0.account == account }?.server }

    func address(of server: Int) -> URL? {
        places.filter { $0.value == server }.map(\.key).min { $0.absoluteString < $1.absoluteString }
    }

    // MARK: Lines

    /// Creates a line for a new client of a device.
    func line(from device: Int, to address: URL) -> SimulatedLine {
        defer { lines += 1 }
        return SimulatedLine(internet: self, number: lines, device: device, address: address)
    }

    func breakLines() { brokenLines = Set(0..<lines) }

    /// Takes the network from a device, or gives it back.
    ///
    /// - Returns: What has happened, for the timeline.
    func switchNetwork(of device: AccountsDevice) -> String {
        if offline.remove(device.index) != nil { return "\(device.name): has a network again" }
        offline.insert(device.index)
        return "\(device.name): has no network"
    }

    // MARK: Requests

    fileprivate func deliver(_ request: TransportRequest, over line: SimulatedLine) async throws -> TransportResponse {
        let isConnected = brokenLines.remove(line.number) == nil
        guard isConnected, !offline.contains(line.device), let index = places[line.address] else { throw Self.nobody }
        try judge(request, on: index)
        if isLossy && random.oneIn(10) { throw Self.nobody }
        if isDoubling, request.isAboutRecords, random.oneIn(8) {
            _ = try? await survive(request, from: line.device, on: index)
        }
        let response = try await survive(request, from: line.device, on: index)
        if isLossy && random.oneIn(10) { throw Self.nobody }
        return response
    }

    /// Lets a server serve a request. It can crash, and starts again at once.
    private func survive(
        _ request: TransportRequest, from device: Int, on index: Int
    ) async throws -> TransportResponse {
        let crash = servers[index].crash
        if hasCrashes, request.isAboutRecords, random.oneIn(12) {
            crash.now = random.oneIn(2) ? .beforeCommit : .afterCommit
        }
        defer { crash.now = .none }
        do {
            return try await serve(request, from: device, on: index)
        } catch let error where Crash.isCause(of: error) {
            throw Self.nobody
        }
    }

    private static let nobody = KithError(.offline, "The server cannot be reached.")

    private func judge(_ request: TransportRequest, on index: Int) throws {
        if let token = request.token, token != typedToken, let grant = grants[token], grant.server != index {
            fault =
                "the token of \(grant.account) goes to \(servers[index].name) with \(request.method) \(request.path)"
        }
        guard request.path == "/v1/sync", let body = request.body else { return }
        let round = try JSONDecoder().decode(SyncRequest.self, from: body)
        if let home = home(of: round.account), home != index {
            fault = "\(round.mutations.count) edits of \(round.account) go to \(servers[index].name)"
        }
    }

    private func serve(
        _ request: TransportRequest, from device: Int, on index: Int
    ) async throws -> TransportResponse {
        let server = servers[index]
        switch (request.method, request.path) {
        case ("GET", "/ready"):
            return try ok(server.hasID ? ["server": server.database.server.description] : ["status": "ready"])
        case ("POST", "/v1/sessions"):
            var session = try server.openAccount(at: time)
            grant(session.token, to: session.account, on: index)
            openers[session.account] = device
            if !server.hasID { session.server = nil }
            return try ok(session)
        default: break
        }
        if let answer = try await serveInvitation(request, as: nil, on: index) { return answer }
        guard let token = request.token else { return problem(404, .notFound) }
        var description: SessionDescription
        do {
            guard let found = try await server.sessions.verify(token) else {
                return problem(401, .tokenInvalid)
            }
            description = found
        } catch let error as ServerError where error.code == .accountClosed {
            return problem(401, .accountClosed)
        }
        switch (request.method, request.path) {
        case ("GET", "/v1/session"):
            if !server.hasID { description.server = nil }
            return try ok(description)
        case ("DELETE", "/v1/session"):
            try await end(token, on: index)
            return TransportResponse(status: 204, body: Data())
        case ("DELETE", "/v1/account"):
            try delete(description.account, on: index)
            return TransportResponse(status: 204, body: Data())
        case ("POST", "/v1/sync"):
            let round = try JSONDecoder().decode(SyncRequest.self, from: request.body ?? Data())
            guard round.account == description.account else { return problem(403, .accountMismatch) }
            return try ok(
                await server.sync(round, as: description.account, kind: description.kind, at: time).answer)
        default:
            if let answer = try await serveSignIn(request, as: description.account, token: token, on: index) {
                return answer
            }
            if let answer = try await serveInvitation(request, as: description.account, on: index) { return answer }
            return try await servePeople(request, as: description.account, on: server)
        }
    }

    func ok(_ body: some Encodable) throws -> TransportResponse {
        TransportResponse(status: 200, body: try JSONEncoder().encode(body))
    }

    func problem(_ status: Int, _ code: Problem.Code) -> TransportResponse {
        let problem = Problem(status: status, title: "", code: code, detail: "No.", id: "1")
        return TransportResponse(status: status, body: (try? JSONEncoder().encode(problem)) ?? Data())
    }

    /// Notes the token of a session that a server has opened for a code.
    func grant(_ token: String, to account: AccountID, on index: Int) {
        grants[token] = Grant(account: account, server: index)
    }

    // MARK: Endings

    /// Notes that a server does not accept a token any more.
    func noteEnd(of token: String) {
        deadTokens.insert(token)
        if let account = grants[token]?.account { ended.insert(account) }
    }

    /// Makes a server forget a token.
    func end(_ token: String, on index: Int) async throws {
        try await servers[index].sessions.close(token)
        noteEnd(of: token)
    }

    /// Deletes an account on a server.
    func delete(_ account: AccountID, on index: Int) throws {
        try servers[index].delete(account, at: time)
        ended.insert(account)
    }
}

extension TransportRequest {
    /// Whether it reads or changes records, and nothing that belongs to one session.
    fileprivate var isAboutRecords: Bool { path == "/v1/sync" || path.hasPrefix("/v1/invitations/") }
}

/// The connection of one client of a device to an address.
struct SimulatedLine: Transport {
    let internet: SimulatedInternet
    let number: Int
    let device: Int
    let address: URL

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await internet.deliver(request, over: self)
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }
}
