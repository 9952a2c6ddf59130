/// Content lines for output: escaped, folded at 75 bytes, ended by CR and LF.
struct FoldedLines {
    /// The maximum number of bytes of a line; longer lines are folded.
    private static let width = 75

    private(set) var text = ""

    /// Adds a property with a raw value.
    mutating func add(_ name: String, _ value: String) {
        var width = 0
        for scalar in "\(name):\(value)".unicodeScalars {
            let size = UTF8.width(scalar)
            if width + size > Self.width {
                text += "\r\n "
                width = 1
            }
            text.unicodeScalars.append(scalar)
            width += size
        }
        text += "\r\n"
    }

    /// Adds a property with a text value.
    mutating func add(_ name: String, text value: String) { add(name, Self.escaped(value)) }

    /// A text value, or a part of one, with escapes.
    static func escaped(_ value: String) -> String {
        var escaped = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\n" where previous == "\r": break
            case "\n", "\r": escaped.append(contentsOf: ["\\", "n"])
            case "\\", ",", ";": escaped.append(contentsOf: ["\\", scalar])
            case "\t": escaped.append(scalar)
            // Readers do not accept control characters. This character marks the place.
            case "\0"..<" ", "\u{7F}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
            previous = scalar
        }
        return String(escaped)
    }
}
