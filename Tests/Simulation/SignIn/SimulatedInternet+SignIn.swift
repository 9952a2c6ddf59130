import Foundation
import Kith
import KithModel
import KithServer

/// How servers sign people in: they answer requests about codes, identities and the sessions of an account.
extension SimulatedInternet {
    /// Lets people sign in on each server.
    func startSignIn(seed: UInt64) throws {
        signIn = try servers.enumerated().map { index, server in
            try SimulatedSignIn(server, seed: seed &+ UInt64(index)) { [unowned self] in self.time }
        }
        signInAuditors = signIn.map { SignInAuditor($0.limits) }
    }

    /// Judges all emails, and what else is known of the codes.
    ///
    /// - Returns: What is wrong; nil if nothing is.
    func signInFault() -> String? {
        for (part, auditor) in zip(signIn, signInAuditors) {
            auditor.judge(part.mail.letters)
            if let fault = auditor.fault { return fault }
        }
        return nil
    }

    /// - Returns: The answer; nil if the request is about something else.
    func serveSignIn(
        _ request: TransportRequest, as account: AccountID, token: String, on index: Int
    ) async throws -> TransportResponse? {
        guard signIn.indices.contains(index) else { return nil }
        let part = signIn[index]
        let requester = Requester(.session(account), token: token, address: IPAddress("203.0.113.7")!)
        let words = request.path.split(separator: "/").dropFirst().map(String.init)
        do {
            switch (request.method, words.count, words.first) {
            case ("POST", 1, "codes"):
                let wanted = try JSONDecoder().decode(CodeRequest.self, from: request.body ?? Data())
                let sent = try await part.codes.send(wanted, by: requester, for: account, at: time)
                signInAuditors[index].sent(wanted, by: account, token: token, at: time)
                return try ok(sent)
            case ("POST", 3, "codes"):
                guard let id = CodeID(words[1]) else { return nil }
                let check = try JSONDecoder().decode(CodeCheck.self, from: request.body ?? Data())
                return try await serveCheck(check.code, of: id, by: requester, token: token, on: index)
            case ("GET", 1, "sessions"): return try ok(await part.sessions.list(of: account, by: token))
            case ("DELETE", 1, "sessions"):
                try await part.sessions.closeAll(of: account)
                for (token, grant) in grants where grant.account == account { noteEnd(of: token) }
                return TransportResponse(status: 204, body: Data())
            case ("DELETE", 2, "sessions"):
                guard let session = SessionID(words[1]) else { return nil }
                try await part.sessions.close(session, of: account)
                for token in grants.keys where SessionID(token: token) == session { noteEnd(of: token) }
                return TransportResponse(status: 204, body: Data())
            case ("GET", 1, "identities"): return try ok(await part.identities.list(of: account))
            default: return nil
            }
        } catch let error as ServerError {
            let problem = Problem(error, id: "1")
            return TransportResponse(
                status: problem.status, retryAfter: problem.retryAfter, body: try JSONEncoder().encode(problem))
        }
    }

    private func serveCheck(
        _ code: String, of id: CodeID, by requester: Requester, token: String, on index: Int
    ) async throws -> TransportResponse {
        let auditor = signInAuditors[index]
        let proved: ProvedIdentity
        do {
            proved = try await signIn[index].codes.check(code, of: id, by: requester, at: time)
        } catch let error as ServerError {
            if error.code == .codeWrong { auditor.refused(id, entered: code, at: time) }
            throw error
        }
        let before = auditor.opened(by: id)
        await auditor.accepted(id, by: token, opening: proved.token, at: time) {
            (try? await servers[index].accepts($0)) ?? false
        }
        // A repeated check replaces the session of the lost answer.
        if let before, before != proved.token { noteEnd(of: before) }
        if let token = proved.token { grant(token, to: proved.account, on: index) }
        var answer = proved
        if !servers[index].hasID { answer.server = nil }
        return try ok(answer)
    }
}
