import Foundation
package import KithModel

/// A value of a web page, before its language is known.
package enum PageValue: Hashable, Sendable {
    /// Text from people. It is shown in one line, without characters that change the direction of other text.
    case text(String)
    /// Text from people, with its line breaks.
    case lines(String)
    /// A text of ``PageTexts``, with values.
    case phrase(String, [String: String] = [:])
    /// Text of a phrase with a date instead of `{date}`.
    case dated(String, Timestamp)
    case number(Int)
    /// A time to the minute, in UTC.
    case moment(Timestamp)
    /// Whether a section of the template is shown.
    case flag(Bool)
    /// Text from people before a phrase, for the title of a window. The text is shortened, and isolated from the
    /// direction of the phrase.
    case titled(String, String)
    case rows([[String: PageValue]])

    /// The value for a template.
    func resolved(_ language: PageLanguage) -> any Sendable {
        switch self {
        case .text(let text): return PlainLine.text(text)
        case .lines(let text): return PlainLine.lines(text)
        case .phrase(let key, let values): return PageTexts.of(language).text(key, values)
        case .dated(let key, let time):
            return PageTexts.of(language).text(key, ["date": Self.day(time, language)])
        case .titled(let text, let key):
            return "\u{2068}\(PlainLine.text(text).prefix(80))\u{2069} – \(PageTexts.of(language).text(key))"
        case .number(let number): return String(number)
        case .moment(let time): return Self.minute(time, language)
        case .flag(let flag): return flag
        case .rows(let rows): return rows.map { row in row.mapValues { $0.resolved(language) } }
        }
    }

    private static func day(_ time: Timestamp, _ language: PageLanguage) -> String {
        var style = Date.FormatStyle(date: .long, time: .omitted, locale: language.locale)
        style.timeZone = .gmt
        return time.date.formatted(style)
    }

    private static func minute(_ time: Timestamp, _ language: PageLanguage) -> String {
        var style = Date.FormatStyle(date: .abbreviated, time: .shortened, locale: language.locale)
        style.timeZone = .gmt
        return "\(time.date.formatted(style)) UTC"
    }
}
