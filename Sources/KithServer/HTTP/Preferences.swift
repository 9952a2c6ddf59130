package import HTTPTypes
import KithModel

/// What a client prefers: the `Prefer` headers of a request (RFC 7240).
package struct Preferences: Sendable {
    /// Whether the client prefers minimal answers, which lack the members that have their default: `return=minimal`
    /// (section 4.2).
    package let wantsMinimal: Bool

    /// Reads the headers of a request. Parameters are ignored, and so is what Kith does not know or what is not
    /// well-formed. Of several preferences with the same name, only the first counts (section 2).
    package init(_ headers: HTTPFields) {
        let fields = headers[values: .prefer]
        // Every round of Kith's own client has exactly this, so it is not taken apart.
        guard fields != ["return=minimal"] else {
            wantsMinimal = true
            return
        }
        let preferences = fields.flatMap { $0.lowercased()[...].parts(at: ",") }
        let pairs = preferences.map { $0.parts(at: ";")[0].parts(at: "=") }
        let first = pairs.first { $0[0] == "return" }
        wantsMinimal = first == ["return", "minimal"] || first == ["return", "\"minimal\""]
    }
}

extension Substring {
    /// The parts between separators outside quotes (RFC 9110, section 5.6.4), without the spaces around each. There is
    /// at least one.
    fileprivate func parts(at separator: Unicode.Scalar) -> [Substring] {
        var (parts, start): ([Substring], Index) = ([], startIndex)
        var (isQuoted, isEscaped) = (false, false)
        for index in utf8.indices {
            switch utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: separator) where !isQuoted:
                parts.append(self[start..<index].trimmingWhitespace)
                start = utf8.index(after: index)
            default: break
            }
        }
        return parts + [self[start...].trimmingWhitespace]
    }
}

extension HTTPField.Name {
    // The name is constant and valid.
    fileprivate static let prefer = HTTPField.Name("Prefer")!
}
