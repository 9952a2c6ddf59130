import Foundation
import HTTPTypes
import KithModel

/// A request to an operation, with the API that answers it.
struct Call: Sendable {
    let api: API
    let incoming: Incoming
    let path: PathParameters
    /// Counts the work of the request, and queues large work.
    let ration: Ration
    /// When the caller's token was checked, in the server's uptime.
    let begun: Duration

    var database: GuardedDatabase { api.database }
    /// The server's time.
    var now: Timestamp { api.clock.time() }

    /// How long a body may take without the token being checked again.
    private static let quick = Duration.seconds(1)

    /// Reads the body, which must be JSON. A large body waits in the queue of large requests.
    func read<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) async throws -> Value {
        let value = try await incoming.read(type, in: ration, charge: ration.charge)
        try await checkAgain()
        return value
    }

    /// Reads the bytes of the body.
    ///
    /// - Throws: `tooLarge` if there are more than `limit`.
    func bytes(upTo limit: Int, else tooLarge: ServerError) async throws -> Data {
        let bytes = try await incoming.bytes(upTo: limit, else: tooLarge)
        try await checkAgain()
        return bytes
    }

    /// Whether reading the body took so long that the caller must be checked again.
    var isLate: Bool { api.clock.uptime() - begun >= Self.quick }

    /// Checks the caller's token again if the call is late. Otherwise somebody with a stolen token could hold back the body
    /// of a request, and send it after its owner has closed the session.
    private func checkAgain() async throws {
        guard let token = ration.token, isLate else { return }
        guard try await api.features.sessions.verify(token) != nil else { throw ServerError.unknownToken }
    }

    /// The key of a request that makes something; nil if it has none.
    func requestKey() throws(ServerError) -> RequestKey? {
        guard let field = incoming.headers[.idempotencyKey] else { return nil }
        // The field is a string with its quotes (RFC 8941, section 3.3.3).
        let isQuoted = field.utf8.count >= 2 && field.hasPrefix("\"") && field.hasSuffix("\"")
        guard isQuoted, let key = RequestKey(String(field.dropFirst().dropLast())) else {
            throw ServerError(
                .malformed,
                """
                The header Idempotency-Key is not \(RequestKey.lengths.lowerBound) to \(RequestKey.lengths.upperBound) \
                letters, digits, dashes and underscores in quotes. Send a random UUID.
                """)
        }
        return key
    }

    /// Checks that the client can receive a stream of events. Call it before the stream is opened, which can end another one.
    ///
    /// - Returns: Whether the client wants the stream; with HEAD it wants only the head.
    func wantsEvents() throws(ServerError) -> Bool {
        guard !incoming.isHTTP10 else {
            throw ServerError(.malformed, "A stream of events needs HTTP/1.1, because its length is not known.")
        }
        return incoming.method != .head
    }

    // MARK: Large answers

    /// The answer of a round, minimal if the client prefers that. A large one waits in the queue before it is written,
    /// compressed and charged.
    func answer(_ answer: SyncAnswer, isLarge: Bool) async throws -> Answer {
        let isMinimal = incoming.prefersMinimal
        guard isLarge else { return Answer(json: answer.json(isMinimal: isMinimal)) }
        return try await ration.run(WorkUnits.bytes(Limits.pageBytes), goesOn: true) {
            largeAnswer(answer.json(isMinimal: isMinimal))
        }
    }

    /// An answer in JSON, compressed and charged. Call it only within ``Ration/run(_:goesOn:_:)``.
    func largeAnswer(_ value: some Encodable) throws -> Answer { largeAnswer(try JSONBody.encode(value)) }

    private func largeAnswer(_ json: Data) -> Answer {
        var answer = Answer(json: json)
        ration.charge(WorkUnits.bytes(answer.size))
        answer.compress(for: incoming)
        return answer
    }

    // MARK: Forms

    /// Reads the form that a browser has sent from a page of this server.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: The form; nil if another website has sent it. Answer with ``foreignForm`` then.
    /// - Throws: ``ServerError``: `unsupportedType`, `tooLarge` or `malformed`.
    func form(upTo limit: Int = FormFields.limit) async throws -> FormFields? {
        guard !isFromElsewhere else { return nil }
        guard incoming.mediaType == "application/x-www-form-urlencoded" else {
            throw ServerError(
                .unsupportedType, "The body's Content-Type is not application/x-www-form-urlencoded. Send the form.")
        }
        guard incoming.isUnencoded else {
            throw ServerError(.unsupportedType, "Send the form without a Content-Encoding.")
        }
        guard let form = FormFields(try await bytes(upTo: limit, else: .tooLargeForm(limit))) else {
            throw ServerError.unreadableForm
        }
        return form
    }

    /// Whether another website has sent the request.
    var isFromElsewhere: Bool {
        FormSource(incoming.headers, authority: incoming.authority, publicURL: api.origin.text) == .elsewhere
    }

    /// The answer to a form from another website.
    var foreignForm: Answer { answer(ProblemPage.page("foreign", .forbidden)) }

    /// Sends the browser to another page of this server, with GET, so that nothing is sent again when it reloads the page.
    ///
    /// - Parameter path: The path below the public address, and a query without personal data.
    /// - Returns: The answer.
    func redirect(to path: String) -> Answer {
        Answer(.seeOther, headers: [.location: api.origin.root + path, .referrerPolicy: "no-referrer"])
    }
}

extension ServerError {
    /// The error for a form that lacks a field.
    static var unreadableForm: ServerError {
        ServerError(.malformed, "The form lacks a field, or has an invalid one. Open the page again.", path: "$")
    }
}
