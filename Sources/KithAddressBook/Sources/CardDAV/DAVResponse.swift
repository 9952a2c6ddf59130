package import Foundation

/// The answer to one HTTP request.
package struct DAVResponse: Sendable {
    /// The HTTP status code.
    package var status: Int
    /// The headers, by lowercase name.
    package var headers: [String: String]
    /// The whole body, decompressed.
    package var body: Data

    package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

extension DAVResponse {
    /// The violated preconditions, if the answer names them in XML (RFC 4918, section 16).
    var conditions: Set<XMLName> { (try? Multistatus(body))?.conditions ?? [] }

    /// The server's own reason for a refusal: the conditions that it names, else the first line of its text. Nil if
    /// there is nothing for people to read.
    var reason: String? {
        let conditions = conditions
        if !conditions.isEmpty { return conditions.map(\.local).sorted().joined(separator: ", ") }
        let text = String(decoding: body.prefix(Self.longestReason), as: UTF8.self)
        let line = text.split(whereSeparator: \.isNewline).first.map { line in
            // Control characters are removed, so that a server cannot write escape sequences to a terminal.
            String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
                .trimmingCharacters(in: .whitespaces)
        }
        guard let line, !line.isEmpty, !line.hasPrefix("<") else { return nil }
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }

    /// In bytes.
    private static let longestReason = 300
}
