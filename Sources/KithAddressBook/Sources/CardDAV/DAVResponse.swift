package import Foundation
import Kith

/// What came back.
package struct DAVResponse: Sendable {
    /// The HTTP status code.
    package var status: Int
    /// By their names in small letters.
    package var headers: [String: String]
    /// The whole body, decompressed.
    package var body: Data

    package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

extension DAVResponse {
    /// What was violated, if the answer says so in XML (RFC 4918, section 16).
    var conditions: Set<XMLName> { (try? Multistatus(body))?.conditions ?? [] }

    /// Why the server refuses, in its own words: the conditions that it names, else the first line of its text. Nil if it
    /// says nothing that people could read.
    var reason: String? {
        let conditions = conditions
        if !conditions.isEmpty { return conditions.map(\.local).sorted().joined(separator: ", ") }
        let text = String(decoding: body.prefix(Self.longestReason), as: UTF8.self)
        let line = text.split(whereSeparator: \.isNewline).first.map { line in
            // No server writes to anybody's terminal.
            String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
                .trimmingCharacters(in: .whitespaces)
        }
        guard let line, !line.isEmpty, !line.hasPrefix("<") else { return nil }
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }

    /// In bytes.
    private static let longestReason = 300
}
