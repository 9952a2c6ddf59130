import Foundation
public import KithModel

/// What the app puts into its own sheet or message.
///
/// After the user has completed the sheet, the app calls ``Sharing/share(_:by:to:data:id:)``.
public struct ComposedShare: Hashable, Sendable {
    /// What is shared.
    public let shareable: Shareable
    /// How it is shared.
    public let channel: ShareChannel
    /// The subject of a mail, which the user can edit; nil if the programme has none for the channel.
    public let subject: String?
    /// The text with the link, which the user can edit.
    public let text: String
    /// The link alone.
    public let link: String
    /// Whether the operator has paused the programme, as far as the device knows. The link opens, but nobody is rewarded.
    public let isPaused: Bool

    /// The texts are those of the programme; nil if the device does not know it.
    init(
        _ shareable: Shareable, by channel: ShareChannel, of programme: ShareProgramme?, name: String, link: String
    ) {
        (self.shareable, self.channel, self.link) = (shareable, channel, link)
        isPaused = programme?.isPaused ?? false
        let written = programme?.shareText(for: channel)
        func filled(_ text: String) -> String {
            // The name comes last, because a name can contain any text.
            text.replacing("{{link}}", with: link).replacing("{{code}}", with: shareable.code.text)
                .replacing("{{name}}", with: name).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        subject = written?.subject.map(filled)
        guard let text = written?.text else {
            self.text = link
            return
        }
        self.text = text.contains("{{link}}") ? filled(text) : "\(filled(text))\n\n\(link)"
    }
}
