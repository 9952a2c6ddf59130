import Foundation
import Kith
import KithModel
import KithServer

/// How servers answer people with the link of an invitation.
extension SimulatedInternet {
    /// - Returns: The answer; nil if the request is about something else, or needs an account and has none.
    func serveInvitation(
        _ request: TransportRequest, as account: AccountID?, on index: Int
    ) async throws -> TransportResponse? {
        let words = request.path.split(separator: "/").map(String.init)
        guard signIn.indices.contains(index), words.count > 2, words[1] == "invitations" else { return nil }
        let service = signIn[index].invitations
        do {
            switch (request.method, words.count, account) {
            case ("GET", 3, _): return try ok(await service.preview(words[2], at: time))
            case ("POST", 4, let account?): return try ok(await service.accept(words[2], by: account, at: time))
            default: return nil
            }
        } catch let error as ServerError where !Crash.isCause(of: error) {
            let problem = Problem(error, id: "1")
            return TransportResponse(status: problem.status, body: try JSONEncoder().encode(problem))
        }
    }
}
