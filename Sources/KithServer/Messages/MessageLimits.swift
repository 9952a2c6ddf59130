import KithModel

/// The limits of the number of messages and of their size.
///
/// A day is the last 24 hours for recipients, and a day in UTC for senders and in total.
package struct MessageLimits: Sendable {
    /// Messages that can be unsubscribed, to one recipient in a day, from all senders together.
    package var ofRecipient = 5
    /// Codes to one address or number in a day. Sign-in has smaller limits of its own.
    package var codesOfRecipient = 30
    /// Notices about accounts to one address in a day. Nobody else can cause them than those who use an account with the
    /// address.
    package var noticesOfRecipient = 30
    /// Messages on behalf of one account in a day.
    package var ofSender = 200
    /// Messages in all in a day: the setting `messages-a-day`. Those that can be unsubscribed leave a fifth of it to codes
    /// and notices.
    package var inAll = 10_000

    /// Characters of a value in one line, such as a name.
    package static let line = 200
    /// Characters of a text with several lines.
    package static let text = 4_000
    /// Bytes of a link.
    package static let link = 2_000
    /// Characters of a subject.
    package static let subject = 200
    /// Parts of an SMS with a code. Its device's name is shortened so that it fits.
    package static let partsOfCode = 2
    /// Parts of any other SMS, such as an invitation. Each part is paid. Its text is shortened so that it fits.
    package static let partsOfSMS = 3
    /// Characters of what a gateway said.
    package static let detail = 200
    /// How long a message is listed after it was sent or has failed. Its content is deleted at once.
    package static let kept = Duration.days(30)

    /// How long the file of a message is kept, if there is no other gateway.
    package static let filesKept = Duration.days(7)
    /// The largest number of such files. If there are more, the oldest are deleted.
    package static let files = 10_000

    /// The defaults.
    package init() {}

    /// The messages like this one to its recipient in a day.
    func toRecipient(of message: OutgoingMessage) -> Int {
        if message.canUnsubscribe { return ofRecipient }
        return message.kind.isAboutAccount ? noticesOfRecipient : codesOfRecipient
    }
}
