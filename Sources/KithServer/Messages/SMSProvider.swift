import Foundation
import KithModel

/// An account at an SMS provider whose API has the shape of Twilio's Messages API, which several providers share.
package struct SMSProvider: Sendable {
    /// The address of the API, without a slash at its end.
    package let url: String
    package let account: String
    package let secret: String
    /// A number, a name, or the id of a messaging service, which begins with `MG`.
    package let sender: String
    /// The public address of this server, for call-backs; nil for none.
    package let callback: String?

    package init(url: String, account: String, secret: String, sender: String, callback: String?) {
        self.url = url
        self.account = account
        self.secret = secret
        self.sender = sender
        self.callback = callback
    }

    /// The form that asks the provider to send a message.
    func form(_ message: StoredMessage) -> FormFields {
        var fields = [("To", message.recipient)]
        fields.append((sender.hasPrefix("MG") && sender.count == 34 ? "MessagingServiceSid" : "From", sender))
        fields.append(("Body", message.text))
        if let callback { fields.append(("StatusCallback", Self.callback(callback, for: message.id))) }
        return FormFields(fields)
    }

    /// The address at which the provider reports what became of a message.
    package static func callback(_ address: String, for id: MessageID) -> String {
        "\(address)/v1/messages/status?message=\(id)"
    }

    /// Whether a call-back comes from the provider: its signature is the HMAC-SHA-1 of the address and of the sorted
    /// names and values, under the secret, in Base64 (Twilio, “Webhooks security”).
    package static func isSigned(_ form: FormFields, at url: String, by signature: String, secret: String) -> Bool {
        let fields = form.fields.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        let signed = url + fields.map { $0.name + $0.value }.joined()
        guard let given = Data(base64Encoded: signature) else { return false }
        return Secret.areEqual(given, SHA1.hmac(Data(signed.utf8), key: Data(secret.utf8)))
    }
}
