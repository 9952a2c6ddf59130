import KithModel

/// The server's endpoint for programmes.
extension SessionConnection {
    /// The programmes, in the best of these languages that each has.
    func programmes(in languages: [String]) async throws -> [ShareProgramme] {
        let answer: ShareProgrammeList = try await call("GET", "/v1/programmes", languages: languages)
        return answer.programmes
    }
}

extension ServerConnection {
    /// The link of a code; nil if the address of the server is not known.
    func link(of code: ShareCode, by channel: ShareChannel?) -> String? {
        address.map { ShareLink(code, channel: channel).address(server: $0) }
    }
}
