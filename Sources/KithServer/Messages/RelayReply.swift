/// What a mail relay has answered to a command: a code, mostly a status code (RFC 3463), and words.
package struct RelayReply: Hashable, Sendable {
    /// The code, such as 550 (RFC 5321, section 4.2).
    package let code: Int
    /// The whole reply in one line, with the code.
    package let text: String

    package init(code: Int, text: String) { (self.code, self.text) = (code, text) }

    /// The codes of a missing or wrong login, or of missing encryption (RFC 4954, section 6; RFC 3207, section 4).
    private static let codesOfLogin: Set = [530, 534, 535, 538]
    /// The status codes about the sender (RFC 3463, section 3.2), and the one that Postfix uses for it. Postfix can be told to use
    /// that one for recipients too; then its words say so.
    private static let statusesOfSender: Set = ["5.1.0", "5.1.7", "5.1.8"]
    /// Words of Postfix, Exim, Sendmail and Exchange about the client and the sender, in lower case.
    private static let wordsAboutServer = [
        "client host", "helo command rejected", "relay access denied", "relay not permitted", "relaying denied",
        "sender address rejected", "unable to relay", "send as this sender",
    ]

    /// Whether the refusal of a recipient is about the server that sends: its address, its login or its sender. Then the
    /// operator has to correct something, and other recipients are refused too.
    ///
    /// Relays report such refusals at the recipient: Postfix does by default (`smtpd_delay_reject`).
    ///
    /// - Parameters:
    ///   - sender: The sender on the envelope.
    ///   - recipient: The recipient.
    /// - Returns: Whether it is.
    package func isAboutServer(sender: String, recipient: String) -> Bool {
        if Self.codesOfLogin.contains(code) { return true }
        let words = text.lowercased()
        if let status, Self.statusesOfSender.contains(status), !words.contains("recipient") { return true }
        if Self.wordsAboutServer.contains(where: { words.contains($0) }) { return true }
        let (sender, recipient) = (sender.lowercased(), recipient.lowercased())
        return words.contains(sender) && !recipient.contains(sender)
    }

    /// The status code, such as `5.1.1`; nil if the reply has none.
    private var status: String? {
        text.prefixMatch(of: /\d{3} ([245]\.\d{1,3}\.\d{1,3})\b/).map { String($0.output.1) }
    }
}
