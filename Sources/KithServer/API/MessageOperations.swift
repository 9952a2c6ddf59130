import Foundation
import HTTPTypes
import KithModel

/// The operations for the recipients of messages and for the SMS provider.
enum MessageOperations {
    /// A page with a button. Opening it changes nothing, because programs that check links open every link.
    static func showUnsubscribe(_ call: Call) async throws -> Answer {
        let (kind, isUnsubscribed) = try await call.api.features.unsubscribing.state(of: try call.path.token())
        return call.answer(isUnsubscribed ? UnsubscribePage.done(kind) : UnsubscribePage.question(kind))
    }

    /// The button of that page, or one click in a mail program (RFC 8058), whose body is not needed.
    static func unsubscribe(_ call: Call) async throws -> Answer {
        let body = try await call.incoming.bytes(upTo: FormFields.limit, else: .tooLargeForm(FormFields.limit))
        let (unsubscribing, token) = (call.api.features.unsubscribing, try call.path.token())
        guard FormFields(body)?["again"] == "yes" else {
            return call.answer(UnsubscribePage.done(try await unsubscribing.unsubscribe(token, at: call.now)))
        }
        return call.answer(UnsubscribePage.again(try await unsubscribing.resubscribe(token)))
    }

    /// The SMS provider reports what became of a message.
    static func report(_ call: Call) async throws -> Answer {
        let body = try await call.incoming.bytes(upTo: MessageStatus.size, else: .tooLargeForm(MessageStatus.size))
        let id: MessageID = try call.incoming.identifier("message")
        // The provider signs the address that it was given, which a proxy may have changed.
        try await call.api.features.messageStatus.take(
            body, about: id, at: SMSProvider.callback(call.api.origin.text, for: id),
            signedBy: call.incoming.headers[.twilioSignature])
        return Answer(.noContent)
    }
}

extension ServerError {
    /// The error for a form with more bytes than `limit`.
    static func tooLargeForm(_ limit: Int) -> ServerError {
        ServerError(.tooLarge, "The body is larger than \(limit) bytes. Send the form alone.")
    }
}

extension HTTPField.Name {
    // The name is constant and valid.
    fileprivate static let twilioSignature = HTTPField.Name("X-Twilio-Signature")!
}
