/// The style of a text on a terminal with colours.
package enum TextStyle: String, Sendable {
    case plain = ""
    case strong = "1"
    case faint = "2"
    case warning = "33"
    case good = "32"

    package func applied(to text: String, colour: Bool) -> String {
        colour && self != .plain ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
