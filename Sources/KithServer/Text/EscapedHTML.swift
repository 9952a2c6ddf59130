import Mustache

/// The HTML of Mustache templates: values are escaped by Unicode scalar.
///
/// The library's own HTML compares whole characters. In it, `<` stays as it is after a scalar such as U+0600, which forms
/// one character with the next scalar (Unicode Standard Annex 29, rule GB9b), and a person's name could contain a tag.
package struct EscapedHTML: MustacheContentType {
    /// The line with which each template in HTML begins.
    package static let pragma: String = {
        MustacheContentTypes.register(EscapedHTML(), named: "KITH_HTML")
        return "{{% CONTENT_TYPE:KITH_HTML}}"
    }()

    package func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
