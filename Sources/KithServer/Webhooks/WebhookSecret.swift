import Foundation

/// The secret with which the requests to a webhook are signed, as the specification Standard Webhooks has it.
package struct WebhookSecret: Hashable, Sendable {
    let bytes: Data

    init(bytes: Data) { self.bytes = bytes }

    /// A new secret of 32 random bytes.
    init(random: RandomBytes) { bytes = random.bytes() }

    private static let prefix = "whsec_"

    /// Reads a secret; nil if the text is none.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            (24...64).contains(bytes.count)
        else { return nil }
        self.bytes = bytes
    }

    /// The secret as the receiver needs it: `whsec_` and Base64.
    package var text: String { Self.prefix + bytes.base64EncodedString() }

    /// The signature of a request.
    ///
    /// - Parameters:
    ///   - id: The header `webhook-id`.
    ///   - seconds: The header `webhook-timestamp`: the seconds since 1970.
    ///   - body: The body.
    /// - Returns: An element of the header `webhook-signature`: `v1,` and Base64.
    package func signature(id: String, seconds: Int64, body: String) -> String {
        "v1," + Secret.hmac("\(id).\(seconds).\(body)", key: bytes).base64EncodedString()
    }
}
