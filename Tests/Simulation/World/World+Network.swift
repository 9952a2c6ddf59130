import Foundation
import Kith
import KithModel
import KithServer

/// Rounds over a network that loses, duplicates, delays and reorders messages.
extension World {
    /// The server's answer to a token of an account that it does not have.
    func refusal(of account: AccountID) -> KithError {
        let code = home(of: account).deleted.contains(account) ? "accountClosed" : "tokenInvalid"
        return KithError(
            status: 401, retryAfter: nil,
            body: Data(
                #"{"type":"about:blank","title":"","status":401,"detail":"No.","code":"\#(code)","id":"1"}"#.utf8))
    }

    /// The request as the server reads it from JSON, so that only content that can be sent arrives.
    private func carried(_ request: SyncRequest) throws -> SyncRequest {
        try JSONBody.decode(SyncRequest.self, from: request.json)
    }

    /// The answer as the device reads it from JSON, so that only content that can be sent arrives. Only clients of the
    /// newest version ask for minimal answers, and only servers of the newest version give them.
    private func carried(_ answer: SyncAnswer, from server: SimulatedServer, to index: Int) throws -> SyncAnswer {
        let isMinimal = server.version.isNewest && devices[index].version.isNewest
        return try SyncAnswer(json: answer.json(isMinimal: isMinimal))
    }

    /// - Returns: Whether a round is running.
    @discardableResult
    func beginRound(_ index: Int) throws -> Bool {
        let device = devices[index]
        touched.insert(index)
        do {
            let waits = try device.content().waiting
            guard let request = try device.rounds.begin() else {
                try reach(index)
                return false
            }
            if (waits > 0) != !request.mutations.isEmpty {
                throw fail(.pushFirst, "\(waits) edits wait and the round carries \(request.mutations.count)")
            }
            note(
                "\(device.name): begins a round with [\(request.mutations.map { "\($0.number):\($0.id)" }.joined(separator: ", "))], acknowledged \(request.acknowledged.number)"
            )
            let said = device.version.said(try carried(request))
            try auditor.judgeSender(of: said, from: index, in: self)
            auditor.sent(said, by: index)
            if hazards.engine {
                device.engine.round = SimulatedEngine.Round(request: said, ends: time + .seconds(60))
            }
            send(
                Envelope(
                    device: index, life: device.life, server: homes[request.account] ?? 0, message: .request(said),
                    notBefore: step))
            return true
        } catch is Crash {
            try recover(index)
            return false
        }
    }

    /// Opens the first session of a device that has never reached a server.
    private func reach(_ index: Int) throws {
        guard try devices[index].content().account.state == .initial, random.oneIn(3),
            servers[0].crash.now == .none
        else { return }
        try signIn(index, account: openAccount(on: 0))
    }

    func send(_ envelope: Envelope) {
        if hazards.loss && random.oneIn(5) {
            note("network: loses a message")
            return
        }
        var envelope = envelope
        if hazards.lateness && random.oneIn(4) { envelope.notBefore = step + Int.random(in: 1...25, using: &random) }
        network.append(envelope)
        if hazards.doubling && random.oneIn(5) {
            envelope.notBefore = step + Int.random(in: 0...25, using: &random)
            network.append(envelope)
            note("network: doubles a message")
        }
    }

    func deliver() async throws {
        let due = network.indices.filter { network[$0].notBefore <= step }
        guard let index = due.randomElement(using: &random) else { return }
        let envelope = network.remove(at: index)
        switch envelope.message {
        case .request(let request): try await serve(request, envelope)
        case .answer(let answer, let request, let lists):
            try receive(.success((answer, lists)), request, envelope)
        case .refusal(let error, let request): try receive(.failure(error), request, envelope)
        }
    }

    private func serve(_ request: SyncRequest, _ envelope: Envelope) async throws {
        let server = servers[envelope.server]
        func reply(_ message: Envelope.Message) {
            send(
                Envelope(
                    device: envelope.device, life: envelope.life, server: envelope.server, message: message,
                    notBefore: step))
        }
        defer { server.crash.now = .none }
        if hazards.refusals && random.oneIn(6) { return reply(.refusal(busy(), to: request)) }
        (author, changed) = (request.account, envelope.server)
        guard try server.hasAccount(request.account) else {
            return reply(.refusal(refusal(of: request.account), to: request))
        }
        do {
            let (answer, lists) = try await take(request, from: envelope.device, on: server)
            note(
                "\(server.name): \(answer.device.rawValue) takes up to \(answer.acknowledged.number) of \(devices[envelope.device].name), \(answer.outcomes.map { "\($0.number) \($0.result.rawValue) \($0.code?.rawValue ?? "")" }), lost \(answer.lost.count), more \(answer.more)"
            )
            reply(
                .answer(try carried(answer, from: server, to: envelope.device), to: request, lists: lists))
            if !request.mutations.isEmpty {
                // Some devices get a signal on the live stream that feeds have moved.
                for other in living where other != envelope.device && random.oneIn(3) { try tell(other, .moved) }
            }
        } catch let error where Crash.isCause(of: error) {
            note("\(server.name): crashes")
            liveStreams.breakAll(of: server)
            reply(.refusal(KithError(status: 503, retryAfter: 1, body: Data()), to: request))
        } catch let error as ServerError {
            throw fail(.bounds, "the server refuses a client's request: \(error)")
        }
    }

    /// Lets a server process a request, and passes the changes to the auditor, even if the server crashes meanwhile.
    ///
    /// Request and answer have the names of the newest version.
    ///
    /// - Returns: The answer, and the lists that the account can read when it is given.
    func take(
        _ request: SyncRequest, from device: Int, on server: SimulatedServer
    ) async throws -> (answer: SyncAnswer, lists: Set<ListID>) {
        let before = try auditor.records(in: request, on: server)
        let synced: Result<Synced, any Error>
        do {
            synced = .success(
                try await server.sync(server.version.heard(request), as: request.account, at: time(on: server)))
        } catch {
            synced = .failure(error)
        }
        let after = try auditor.records(in: request, on: server)
        try auditor.note(before, after, in: request, from: devices[device], on: server, in: self)
        liveStreams.ask(try synced.get().signals.circles, on: server)
        let given = try server.version.said(synced.get().answer)
        let feeds = Set(try server.database.feeds(of: request.account))
        try auditor.judge(given, for: request.account, reading: feeds, on: server, in: self)
        try auditor.judgeGroups(request, given, from: device, in: self)
        try auditor.judgeRefusals(before, after, in: request, given, on: server, in: self)
        if countsInExchange(device) {
            exchange.noteTaken(request, given)
            exchange.noteKept(in: request, before, after, by: devices[device].version)
        }
        return (given, Set(feeds.filter { $0.uuid != request.account.uuid }.map { $0.retyped() }))
    }

    /// The error of a server that is too busy, with or without a time to wait.
    private func busy() -> KithError {
        let pauses: [Int?] = [nil, 1, 30, 900, 3_600, 7_200]
        return KithError(
            status: random.oneIn(2) ? 429 : 503, retryAfter: pauses.randomElement(using: &random) ?? nil, body: Data())
    }

    private func receive(
        _ result: Result<(SyncAnswer, lists: Set<ListID>), KithError>, _ request: SyncRequest, _ envelope: Envelope
    ) throws {
        let device = devices[envelope.device]
        guard !device.isLost else { return }
        touched.insert(envelope.device)
        guard device.life == envelope.life else {
            return note("\(device.name): was restarted, nobody hears the answer")
        }
        let before = try device.content().account
        do {
            switch result {
            case .success(let (answer, lists)):
                let next = try device.rounds.finish(device.version.heard(request), device.version.heard(answer))
                note("\(device.name): hears the answer: \(next)")
                try heard(answer, to: request, next, lists, on: envelope.device)
                try endRound(envelope.device, request, .ended(next))
            case .failure(let error):
                let isAgain = try device.rounds.fail(error, of: device.version.heard(request))
                note("\(device.name): hears \(error.code)")
                if before.device == request.device && !isAgain {
                    try auditor.judgePause(after: error, on: device, in: self)
                }
                try endRound(envelope.device, request, isAgain ? .ended(.again) : .failed)
            }
        } catch is Crash {
            let wasCommitted = try recover(envelope.device)
            // If the device had changed since it sent the request, the answer has had no effect.
            let isCurrent =
                before.id == request.account && before.device == request.device && before.token == request.token
                && before.acknowledged == request.acknowledged
            if wasCommitted, isCurrent, case .success(let (answer, _)) = result {
                if answer.device != .copied || before.sent == request.sent {
                    auditor.acknowledged(request, answer, on: envelope.device)
                }
            }
        }
    }

    /// Handles the consequences of an answer that a device has applied.
    func heard(
        _ answer: SyncAnswer, to request: SyncRequest, _ next: Rounds.Next, _ lists: Set<ListID>, on index: Int
    ) throws {
        guard next != .stale else { return }
        auditor.acknowledged(request, answer, on: index)
        let device = devices[index]
        if countsInExchange(index) { exchange.noteHeard(device.version.heard(answer)) }
        if try device.content().account.schedule != RetrySchedule() {
            throw fail(.bounds, "\(device.name) still waits to try again, after a round that went well")
        }
        if next == .done { try auditor.judgeEnd(of: answer, lists, on: device, in: self) }
    }

    /// Restarts a device after a crash.
    ///
    /// - Returns: Whether the write that crashed was committed.
    @discardableResult
    func recover(_ index: Int) throws -> Bool {
        let device = devices[index]
        let wasCommitted = device.crash.now == .afterCommit
        note("\(device.name): crashes \(device.crash.now), and is restarted")
        // Until the crash, the signals must have reported nothing that was not written, and nothing twice.
        let content = try device.content()
        let faults =
            device.crash.now == .beforeCommit ? device.mirror.faults(against: content) : device.mirror.ownFaults
        if let fault = faults.first {
            throw fail(.honestSignals, "\(device.name), before it crashed: \(fault)")
        }
        try device.restart()
        return wasCommitted
    }
}
