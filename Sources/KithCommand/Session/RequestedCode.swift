import Foundation
import Kith
import KithModel

/// A code that `kith session register` has requested, stored in the device's folder until `kith session verify`.
///
/// It is stored before the request is sent. If the answer is lost, the request is sent again with the same id, so that the code
/// that has arrived can be used.
struct RequestedCode: Codable, Sendable {
    /// The answer; nil if none has arrived. The server may have sent the code all the same.
    var sent: SentCode?
    /// The number or email; nil until the server has parsed a number in the notation of a country.
    var identity: Identity?
    /// The user's name, which the profile gets after the code was checked; nil to leave the profile unchanged.
    var name: String?
    /// The name of the device that the user has given, which the session gets after the code was checked; nil to leave one that
    /// it has unchanged.
    var device: String?
    /// The request; nil if an older version has stored the code.
    var request: CodeRequest?
    /// When the request was first sent; nil if an older version has stored the code.
    var date: Date?

    /// How long the code of a request without an answer can be used.
    private static let lifetime: TimeInterval = 600

    /// A request that has no answer yet. It has the id of `earlier` if that got no answer, and is for the same identity.
    init(_ request: CodeRequest, after earlier: RequestedCode?, name: String?, device: String?, at now: Date) {
        var request = request
        var date = now
        if let earlier, earlier.sent == nil, let first = earlier.request, let since = earlier.date,
            (0..<Self.lifetime).contains(now.timeIntervalSince(since)), first.provesSame(as: request)
        {
            (request.id, date) = (first.id, since)
        }
        (self.request, self.date, self.name, self.device) = (request, date, name, device)
        identity = request.identity
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: "code.json") }

    /// The stored code; nil if there is none.
    static func read(from folder: URL) -> RequestedCode? {
        (try? Data(contentsOf: file(in: folder))).flatMap { try? JSONDecoder().decode(RequestedCode.self, from: $0) }
    }

    /// Stores the request. Only the session that requested the code can check it, but the file names a number or an email.
    func write(to folder: URL) throws {
        try OwnerOnlyFile.write(JSONEncoder().encode(self), to: Self.file(in: folder).path(percentEncoded: false))
    }

    /// Deletes the stored code.
    static func remove(from folder: URL) { try? FileManager.default.removeItem(at: file(in: folder)) }

    /// Sends the request, unless its answer has arrived before, and stores the answer.
    ///
    /// - Returns: The code to check, and the number or email to which it was sent.
    /// - Throws: ``Failure`` if the server cannot read a number without a country code; an error of the SDK.
    mutating func send(_ context: CommandContext) async throws -> (sent: SentCode, identity: Identity) {
        if let sent, let identity { return (sent, identity) }
        guard let request else { throw Failure.notFound("No code was requested on this device.") }
        let answer = try await context.console.progress("Requesting a code") {
            try await context.client.signIn.requestCode(request)
        }
        guard let named = answer.identity ?? identity else {
            throw Failure(
                .failed, "malformed",
                "The server is too old for numbers without a country code. Add it to the number: --phone +436641234567")
        }
        (sent, identity) = (answer, named)
        try write(to: context.location.folder)
        return (answer, named)
    }

    /// Stores the code of an earlier request again, if this request has failed in a way in which no code was sent.
    static func restore(_ earlier: RequestedCode?, in folder: URL, after error: any Error) {
        guard isRefusal(error) else { return }
        if let earlier, earlier.sent != nil { try? earlier.write(to: folder) } else { remove(from: folder) }
    }

    /// Whether an error means that no code was sent. After any other, the answer may be lost.
    private static func isRefusal(_ error: any Error) -> Bool {
        guard let error = error as? KithError else { return error is Failure }
        if let problem = error.cause as? Problem { return problem.status < 500 }
        return ![.offline, .busy, .malformed].contains(error.code)
    }
}
