import CCurl
import Foundation

/// Sends requests to issuers through libcurl, which verifies certificates and follows no redirects.
struct CurlIssuerTransport: IssuerTransport {
    /// The time for a whole answer.
    static let deadline = Duration.seconds(10)

    func send(_ request: IssuerRequest) async throws -> IssuerReply {
        var headers = ["Accept: application/json", "User-Agent: Kith", "Expect:"]
        if request.form != nil { headers.append("Content-Type: application/x-www-form-urlencoded") }
        if let authorization = request.authorization { headers.append("Authorization: \(authorization)") }
        let connection = try CurlConnection()
        let reply = await connection.send(
            request.form?.encoded, to: request.url, headers: headers, within: Self.deadline)
        guard reply.result.outcome == CCurlAnswered else {
            throw IssuerFault(
                "no complete answer of at most 64 KiB came from \(URL(string: request.url)?.host() ?? "it")")
        }
        return IssuerReply(status: reply.result.status, body: reply.body)
    }
}
