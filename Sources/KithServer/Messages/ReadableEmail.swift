import Foundation

/// An email of ``EmailComposer`` as its recipient reads it: the decoded header fields and the text.
package struct ReadableEmail: Hashable, Sendable {
    package let from: String
    package let to: String
    package let subject: String
    package let text: String

    /// Reads an email; nil if ``EmailComposer`` has not written it.
    package init?(_ content: String) {
        let content = content.replacing("\r\n", with: "\n")
        guard let head = content.firstRange(of: "\n\n") else { return nil }
        var fields: [Substring: String] = [:]
        // RFC 5322, section 2.2.3: a line that begins with a space continues the field.
        for line in content[..<head.lowerBound].replacing("\n ", with: " ").split(separator: "\n") {
            guard let colon = line.firstRange(of: ": ") else { continue }
            fields[line[..<colon.lowerBound]] = String(line[colon.upperBound...])
        }
        guard let from = fields["From"], let to = fields["To"], let subject = fields["Subject"],
            let boundary = fields["Content-Type"]?.firstMatch(of: /boundary="([^"]+)"/)?.1
        else { return nil }
        let parts = content[head.upperBound...].split(separator: "--\(boundary)\n", omittingEmptySubsequences: true)
        guard let part = parts.first, part.hasPrefix("Content-Type: text/plain"),
            let start = part.firstRange(of: "\n\n"), let text = QuotedPrintable.decode(part[start.upperBound...])
        else { return nil }
        self.from = HeaderText.decode(from)
        self.to = HeaderText.decode(to)
        self.subject = HeaderText.decode(subject)
        self.text = text
    }
}
