import COpenAPI
import Foundation
import HTTPTypes

/// The description of the API, `openapi.json`. It never changes while the server runs, so it is compressed only once.
enum APIDescription {
    private static let plain = Data(bytes: COpenAPIBytes(), count: COpenAPILength())
    private static let compressed = try? Gzip.compress(plain)

    /// The description in the requested encoding.
    static func answer(to incoming: Incoming) -> Answer {
        var answer = Answer(
            .ok, headers: [.contentType: "application/json", .vary: "Accept-Encoding"], body: plain)
        if incoming.acceptsGzip, let compressed {
            answer.headers[.contentEncoding] = "gzip"
            answer.body = .bytes(compressed)
        }
        return answer
    }
}
