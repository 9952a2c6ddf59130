package import KithModel

extension MessageFailure.Reason {
    /// The sender has revoked the message before it was sent.
    package static let withdrawn = MessageFailure.Reason(rawValue: "withdrawn")
}

extension MessageFailure {
    /// A failure with the first ``MessageLimits/detail`` characters of what the gateway said, in one line.
    package init(_ reason: Reason, _ words: String) { self.init(reason, detail: Self.line(words)) }

    /// The first ``MessageLimits/detail`` characters of what a gateway said, in one line; nil if it said nothing.
    static func line(_ words: String) -> String? {
        let line = String(PlainLine.text(words).prefix(MessageLimits.detail))
        return line.isEmpty ? nil : line
    }

    /// The failure of a refused SMS.
    init(of refusal: SMSRefusal) {
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
