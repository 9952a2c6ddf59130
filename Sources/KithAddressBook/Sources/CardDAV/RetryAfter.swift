import Foundation

/// How long a server asks clients to wait (RFC 9110, section 10.2.3).
struct RetryAfter: Hashable {
    /// From now on; between zero and one day, whatever the server says.
    let pause: Duration

    private static let longest = 24 * 60 * 60

    /// - Parameters:
    ///   - text: The header's value: seconds, or a date.
    ///   - date: The server's `Date` header. The device's clock may be wrong, so the pause is the difference between
    ///     the server's two dates. Without this header a date cannot be used.
    init?(_ text: String, date: String?) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            // A number that overflows is also too long.
            pause = .seconds(min(Int(text) ?? Self.longest, Self.longest))
        } else if let until = Self.date(text), let now = date.flatMap(Self.date) {
            pause = .seconds(min(max(until.timeIntervalSince(now), 0), Double(Self.longest)))
        } else {
            return nil
        }
    }

    /// A date in one of the three forms that HTTP has (RFC 9110, section 5.6.7).
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}
