import KithModel

/// The errors about codes, in the words of the two pages that send and check them: the page of a link, and that of the sign-in.
extension ServerError {
    /// A form that is about a code.
    enum CodeForm {
        /// It asks for a code for an email or a number.
        case email, number
        /// It has the code.
        case code
    }

    /// Whether the error is about an email, a number or a code, and belongs beside the field.
    var isAboutCodes: Bool {
        [.malformed, .conflict, .codeWrong, .codeExpired, .tooFast, .quotaExceeded].contains(code)
    }

    /// What the page says beside the field.
    ///
    /// Whoever can request a code for an email within two minutes has not requested many: one was sent a short time ago, perhaps
    /// for something else, such as an invitation. A number may have to wait for codes of other numbers with its prefix.
    func phrase(in form: CodeForm) -> PageValue {
        switch code {
        case .codeWrong: .phrase("code.wrong")
        case .codeExpired: .phrase("code.expired")
        case .tooFast where form == .email && (retryAfter ?? .days(1)) < .seconds(120): phraseAboutSent
        case .tooFast, .quotaExceeded: phraseAboutTime(form == .code ? "code.wait" : "accept.wait")
        case .conflict: .phrase("accept.lost")
        default: .phrase("accept.unreachable")
        }
    }

    /// That another code was requested too soon after the one that was sent.
    var phraseAboutSent: PageValue { phraseAboutTime("code.soon") }

    /// The phrase with the time to wait: in minutes, or in hours from two hours on.
    private func phraseAboutTime(_ key: String) -> PageValue {
        let minutes = ((retryAfter?.wholeSeconds ?? 60) + 59) / 60
        if minutes < 120 { return .phrase(key, ["minutes": String(minutes)]) }
        return .phrase(key + "Hours", ["hours": String((minutes + 59) / 60)])
    }
}
