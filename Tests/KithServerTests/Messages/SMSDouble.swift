import Foundation
import HTTPTypes
import Hummingbird
import KithServer
import NIOCore
import Synchronization

/// An SMS provider in the test’s process: it checks the account’s secret and recognises repeated requests.
///
/// The number decides how it answers: …400 is refused, …429 is too many, …503 fails once, after the message was taken.
final class SMSDouble: Sendable {
    struct Received: Sendable {
        let key: String
        let form: [String: String]
    }

    private struct State {
        var received: [Received] = []
        var keys: Set<String> = []
    }

    static let (account, secret) = ("AC0123", "the secret")
    private let state = Mutex(State())

    /// The messages that were sent to people, in order.
    var received: [Received] { state.withLock(\.received) }

    /// Runs `body` with the address of the provider.
    func serving(_ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
        let router = Router()
        router.post("/2010/Accounts/{account}/Messages.json") { [self] request, context in
            let body = try await request.body.collect(upTo: 1 << 16)
            let form = FormFields(Data(body.readableBytesView)) ?? FormFields([])
            return answer(request.headers, try context.parameters.require("account"), form)
        }
        try await router.serving { try await body("\($0)/2010") }
    }

    private func answer(_ headers: HTTPFields, _ account: String, _ form: FormFields) -> Response {
        func response(_ status: HTTPResponse.Status, _ json: String) -> Response {
            Response(
                status: status, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
        }
        let login = Data("\(Self.account):\(Self.secret)".utf8).base64EncodedString()
        guard account == Self.account, headers[.authorization] == "Basic \(login)" else {
            return response(.unauthorized, #"{"code": 20003, "message": "Authenticate"}"#)
        }
        guard headers[.contentType] == "application/x-www-form-urlencoded",
            let key = headers[HTTPField.Name("Idempotency-Key")!],  // The name is valid.
            let recipient = form["To"], form["Body"] != nil
        else { return response(.badRequest, #"{"code": 21600, "message": "Something is missing"}"#) }
        if recipient.hasSuffix("400") { return response(.badRequest, #"{"code": 21211, "message": "Invalid 'To'"}"#) }
        if recipient.hasSuffix("429") { return response(.tooManyRequests, "{}") }
        let isNew = state.withLock { state in
            guard state.keys.insert(key).inserted else { return false }
            let fields = Dictionary(form.fields.map { ($0.name, $0.value) }) { first, _ in first }
            state.received.append(Received(key: key, form: fields))
            return true
        }
        if isNew, recipient.hasSuffix("503") { return response(.serviceUnavailable, "busy") }
        return response(.created, #"{"sid": "SM1", "status": "queued", "error_code": null, "error_message": null}"#)
    }
}
