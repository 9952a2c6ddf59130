/// Why an invitation or a share did not reach its recipient, or could not be accepted.
public struct MessageFailure: Hashable, Sendable {
    /// The reason, for programs. A newer server may have further ones.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The reason in its encoded form.
        public let rawValue: String

        /// Creates a reason from its name. This version need not know it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The recipient has unsubscribed from messages of this kind.
        public static let optedOut = Reason(rawValue: "optedOut")
        /// The recipient has received too many messages today.
        public static let recipientLimit = Reason(rawValue: "recipientLimit")
        /// The sender has sent too many messages, invitations or shares today.
        public static let senderLimit = Reason(rawValue: "senderLimit")
        /// The server has sent too many messages today.
        public static let budget = Reason(rawValue: "budget")
        /// Too many SMS went to numbers that begin alike. The message can be sent again later.
        public static let prefixLimit = Reason(rawValue: "prefixLimit")
        /// The numbers that begin alike get no SMS until the operator releases them.
        public static let prefixPaused = Reason(rawValue: "prefixPaused")
        /// The server sends no SMS to the country of the number. The app can send the message itself.
        public static let countryNotAllowed = Reason(rawValue: "countryNotAllowed")
        /// The number is not a mobile number.
        public static let notMobile = Reason(rawValue: "notMobile")
        /// The recipient's address or number cannot receive messages.
        public static let badRecipient = Reason(rawValue: "badRecipient")
        /// The mail server or the SMS provider has refused the message.
        public static let refused = Reason(rawValue: "refused")
        /// The message could not be delivered in time.
        public static let expired = Reason(rawValue: "expired")
        /// The message was accepted for delivery, but was reported as not delivered later: it bounced.
        public static let undelivered = Reason(rawValue: "undelivered")
        /// The server does not send messages to this kind of recipient. The app can send the message itself.
        public static let unsupported = Reason(rawValue: "unsupported")
        /// The recipient is the sender.
        public static let yourself = Reason(rawValue: "yourself")
        /// The list was deleted, or the inviter may no longer invite to it.
        public static let noList = Reason(rawValue: "noList")
        /// The list, the network or the account is full. The recipient can try to accept again.
        public static let full = Reason(rawValue: "full")
        /// The link has expired. The inviter can send the invitation again.
        public static let linkExpired = Reason(rawValue: "linkExpired")
        /// I have blocked the inviter of the received invitation. I can unblock them and accept again.
        public static let blocked = Reason(rawValue: "blocked")
        /// Another of my devices has invited the recipient for the same purpose. That invitation is open, and this one
        /// is not sent.
        public static let alreadyInvited = Reason(rawValue: "alreadyInvited")
        /// The sharing programme is paused.
        public static let paused = Reason(rawValue: "paused")
        /// What was shared has been removed.
        public static let noShareable = Reason(rawValue: "noShareable")
    }

    /// The reason, for programs.
    public let reason: Reason
    /// The answer of the mail server or the SMS provider; nil if there is none.
    public let detail: String?

    /// Creates a failure with this reason.
    public init(_ reason: Reason, detail: String? = nil) { (self.reason, self.detail) = (reason, detail) }
}
