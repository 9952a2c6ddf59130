/// Why a message does not reach its recipient: a code for programs, and the gateway's words.
package struct MessageFailure: Error, Hashable, Sendable {
    /// The reason, for programs. The list is open: a newer server can know more.
    package struct Reason: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The recipient has unsubscribed from messages of this kind.
        package static let optedOut = Reason(rawValue: "optedOut")
        /// The recipient has received too many messages today: ``MessageLimits/ofRecipient``.
        package static let recipientLimit = Reason(rawValue: "recipientLimit")
        /// The sender has sent too many messages today: ``MessageLimits/ofSender``.
        package static let senderLimit = Reason(rawValue: "senderLimit")
        /// The server has sent too many messages today: ``MessageLimits/inAll``, ``PhoneSettings/messagesADay``.
        package static let budget = Reason(rawValue: "budget")
        /// The recipient is not an address to which the channel can deliver.
        package static let badRecipient = Reason(rawValue: "badRecipient")
        /// The server sends no SMS to the country of the number.
        package static let countryNotAllowed = Reason(rawValue: "countryNotAllowed")
        /// The number reaches no mobile phone.
        package static let notMobile = Reason(rawValue: "notMobile")
        /// Too many SMS went to numbers that begin alike: ``PrefixLimits/messagesAnHour``.
        package static let prefixLimit = Reason(rawValue: "prefixLimit")
        /// The numbers that begin alike get no SMS until the operator releases them.
        package static let prefixPaused = Reason(rawValue: "prefixPaused")
        /// The gateway has refused the message.
        package static let refused = Reason(rawValue: "refused")
        /// No gateway has accepted it before it expired: ``MessageKind/lifetime``.
        package static let expired = Reason(rawValue: "expired")
        /// The gateway had accepted it, and has reported later that it was not delivered.
        package static let undelivered = Reason(rawValue: "undelivered")
        /// Its sender has revoked it before it was sent.
        package static let withdrawn = Reason(rawValue: "withdrawn")
    }

    package let reason: Reason
    /// What the gateway said, in printable ASCII or Unicode, without line breaks; empty if it said nothing.
    package let detail: String

    /// A failure, with the first ``MessageLimits/detail`` characters of what the gateway said.
    package init(_ reason: Reason, _ detail: String = "") {
        self.reason = reason
        self.detail = String(PlainLine.text(detail).prefix(MessageLimits.detail))
    }
}

extension MessageFailure {
    /// The failure of a refused SMS.
    init(_ refusal: SMSRefusal) {
        let reason: Reason =
            switch refusal {
            case .otherCountry: .countryNotAllowed
            case .notMobile: .notMobile
            case .tooFast: .prefixLimit
            case .paused: .prefixPaused
            case .budget: .budget
            }
        self.init(reason)
    }
}
