package import Foundation
import KithModel

/// Writes a message as an email (RFC 5322) with its text and its HTML as alternatives (RFC 2046, section 5.1.4).
///
/// The result is ASCII with lines of at most 998 characters, whatever the message contains, so that any relay accepts
/// it. The same message always has the same bytes: a repeated attempt has the same `Message-ID` and `Date`. The relay
/// adds the DKIM signature.
package struct EmailComposer: Sendable {
    package let from: MailAddress

    package init(from: MailAddress) { self.from = from }

    /// The id by which the recipient's mailbox can recognise a repeated message.
    package func messageID(of message: StoredMessage) -> String { "<\(message.id)@\(from.domain)>" }

    /// The email, as it is sent after `DATA`, without the final dot.
    package func compose(_ message: StoredMessage) -> Data {
        // Quoted-printable never contains `=_`, so the boundary cannot occur in a part (RFC 2045, section 6.7).
        let boundary = "=_\(message.id)"
        var head = [
            "Date: \(Self.date(message.created))",
            "From: \(from.header(after: 6))",
            "To: \(message.mailbox)",
            "Message-ID: \(messageID(of: message))",
            "Subject: \(HeaderText.unstructured(message.subject, after: 9))",
            // RFC 3834: vacation programs do not answer.
            "Auto-Submitted: auto-generated",
            "Content-Language: \(message.language)",
        ]
        if let address = message.unsubscribe {
            head.append("List-Unsubscribe: <\(address)>")
            // RFC 8058, section 3.1: one click is only for https.
            if address.hasPrefix("https://") { head.append("List-Unsubscribe-Post: List-Unsubscribe=One-Click") }
        }
        head += ["MIME-Version: 1.0", "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\""]
        func part(_ type: String, _ text: String) -> String {
            """
            --\(boundary)\r
            Content-Type: \(type); charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            \r
            \(QuotedPrintable.encode(text))
            """
        }
        let parts = part("text/plain", message.text) + part("text/html", message.html)
        return Data((head.joined(separator: "\r\n") + "\r\n\r\n" + parts + "--\(boundary)--\r\n").utf8)
    }

    /// The date in the form of RFC 5322, section 3.3, in UTC.
    static func date(_ moment: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.weekday, .day, .month, .year, .hour, .minute, .second], from: moment.date)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(parts.weekday ?? 1) - 1]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
        return "\(weekday), \(parts.day ?? 1) \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 1970) \(time) +0000"
    }
}
