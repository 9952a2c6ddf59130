import Foundation

/// The XML bodies of requests.
package enum DAVBody {
    /// Asks for properties (RFC 4918, section 9.1).
    static func propfind(_ properties: [XMLName]) -> Data {
        document("propfind", element("prop", properties.map(empty).joined()))
    }

    /// Asks for the changes since a token; the empty token asks for everything (RFC 6578, section 3.2).
    static func syncCollection(since token: String) -> Data {
        document(
            "sync-collection",
            element("sync-token", escaped(token)) + element("sync-level", "1") + element("prop", empty(.getetag)))
    }

    /// Asks for the cards at these paths (RFC 6352, section 8.7).
    static func multiget(_ paths: [String]) -> Data {
        document(
            "C:addressbook-multiget",
            element("prop", empty(.getetag) + empty(.addressData))
                + paths.map { element("href", escaped($0)) }.joined())
    }

    private static func document(_ name: String, _ content: String) -> Data {
        let start = #"<?xml version="1.0" encoding="utf-8"?>"# + "\n"
        let namespaces = #" xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav""#
        return Data("\(start)<\(name)\(namespaces)>\(content)</\(name)>".utf8)
    }

    private static func element(_ name: String, _ content: String) -> String { "<\(name)>\(content)</\(name)>" }

    private static func empty(_ name: XMLName) -> String {
        #"<\#(name.local) xmlns="\#(name.namespace)"/>"#
    }

    /// Escapes text for XML. Characters that XML cannot express are left out.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
