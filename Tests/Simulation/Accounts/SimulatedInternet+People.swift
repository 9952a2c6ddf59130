import Foundation
import Kith
import KithModel
import KithServer

/// How servers answer requests about pictures and discovery.
extension SimulatedInternet {
    func servePeople(
        _ request: TransportRequest, as account: AccountID, on server: SimulatedServer
    ) async throws -> TransportResponse {
        let pictures = PictureService(database: server.database)
        let words = request.path.split(separator: "/").dropFirst().map(String.init)
        let body = request.body ?? Data()
        do {
            switch (request.method, words.count, words.first, words.last) {
            case ("PUT", 2, "pictures", let digits?):
                guard let hash = Hex.bytes(digits), let type = PictureType(rawValue: request.contentType) else { break }
                try await pictures.put(body, type, hash: hash, of: account, at: time)
                return TransportResponse(status: 204, body: Data())
            case ("GET", 4, "accounts", let word?):
                guard let owner = AccountID(words[1]), let size = PictureSize(rawValue: word) else { break }
                let shown = try await pictures.picture(size, of: owner, to: account)
                return TransportResponse(status: 200, body: shown.picture.bytes)
            case ("GET", 1, "discovery", _):
                return try ok(await server.discovery.describe(for: account, at: time))
            case ("POST", 2, "discovery", "evaluations"):
                let evaluation = try JSONDecoder().decode(EvaluationRequest.self, from: body)
                return try ok(await server.discovery.evaluate(evaluation, by: account, at: time))
            case ("POST", 2, "discovery", "buckets"):
                let look = try JSONDecoder().decode(BucketRequest.self, from: body)
                return TransportResponse(status: 200, body: try await server.discovery.look(look, at: time).data)
            default: break
            }
            return problem(404, .notFound)
        } catch let error as ServerError {
            let problem = Problem(error, id: "1")
            return TransportResponse(status: problem.status, body: try JSONEncoder().encode(problem))
        }
    }
}
