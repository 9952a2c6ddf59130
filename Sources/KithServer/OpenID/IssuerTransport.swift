/// Sends requests to issuers.
package protocol IssuerTransport: Sendable {
    /// Sends a request, and returns the answer with a body of at most 64 KiB. Redirects are not followed.
    ///
    /// - Throws: ``IssuerFault`` if no complete answer came.
    func send(_ request: IssuerRequest) async throws -> IssuerReply
}
