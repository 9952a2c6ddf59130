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

    /// The status that the answer reports: that of its first resource if it is a multistatus.
    var reportedStatus: Int { status == 207 ? (try? Multistatus(body))?.responses.first?.status ?? status : status }

    /// The server's own reason for a refusal: its words in XML, else the conditions that it names, else the first line of
    /// its text. Nil if there is nothing for people to read.
    var reason: String? {
        let multistatus = try? Multistatus(body)
        if let words = multistatus?.explanation.flatMap({ Self.line($0) }) { return words }
        if let conditions = multistatus?.conditions, !conditions.isEmpty {
            return conditions.map(\.local).sorted().joined(separator: ", ")
        }
        return Self.line(String(decoding: body.prefix(Self.longestReason), as: UTF8.self))
    }

    /// The first line of a text for people; nil if there is none.
    private static func line(_ text: String) -> String? {
        let line = text.prefix(longestReason).split(whereSeparator: \.isNewline).first.map { line in
            // Control characters are removed, so that a server cannot write escape sequences to a terminal.
            String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
                .trimmingCharacters(in: .whitespaces)
        }
        guard let line, !line.isEmpty, !line.hasPrefix("<") else { return nil }
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }

    /// The bytes of a body that are read, and the characters of a reason that are shown.
    private static let longestReason = 300
}
