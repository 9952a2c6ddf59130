package import Foundation
import TextEncodings

/// A delivery status notification (RFC 3464): an email in which a mail server says what has become of another one.
///
/// Anybody can send such an email. The reader takes at most ``size`` bytes and ``depth`` parts within parts, and any
/// bytes are either a report or none. Of a long run of combining marks, it reads the beginning (`StreamSafeText`). Real
/// servers differ from the standard, so it takes line feeds for line ends, any case, parts within other parts, and comments
/// after a status.
package struct DeliveryReport: Hashable, Sendable {
    /// The bytes that are read. A server returns the original email, or its beginning, after the report.
    package static let size = 256 << 10
    /// The largest depth of parts.
    package static let depth = 4

    /// Why an email was not delivered.
    package struct Failure: Hashable, Sendable {
        /// The status code, such as `5.1.1` (RFC 3463).
        package let status: String
        /// What the last mail server said, such as `550 5.1.1 No such user`; the status if it said nothing.
        package let diagnostic: String
    }

    /// The header fields that say to which address the report was sent.
    package let recipients: [String]
    /// Why the email was not delivered; nil if the report is about a delay or a success.
    package let failure: Failure?

    /// Reads an email; nil if it is no delivery status notification.
    package init?(_ email: Data) {
        let lines = email.prefix(Self.size).split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            StreamSafeText.clamped(String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self))
        }
        let entity = Entity(lines[...])
        guard let groups = entity.statusGroups(depth: Self.depth) else { return nil }
        recipients = entity.fields.filter { Self.recipientFields.contains($0.name) }.map(\.value)
        failure = groups.lazy.compactMap(Failure.init).first
    }

    private static let recipientFields: Set = ["to", "delivered-to", "x-original-to", "envelope-to"]
}

extension DeliveryReport.Failure {
    /// The failure in a group of fields; nil if it has none. The action `failed` is final, also with a status 4.x.x: the
    /// server has given up (RFC 3464, section 2.3.3). Without an action, only a status 5.x.x is a failure.
    fileprivate init?(_ fields: [Field]) {
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        let action = value("action")?.lowercased()
        guard action?.hasPrefix("failed") ?? true, let written = value("status"),
            let status = written.prefixMatch(of: /[45]\.\d{1,3}\.\d{1,3}/),
            action != nil || status.output.hasPrefix("5")
        else { return nil }
        self.status = String(status.output)
        // The type of the text, such as “smtp;”, comes first (RFC 3464, section 2.3.6).
        let diagnostic = value("diagnostic-code").map { code in
            code.firstIndex(of: ";").map { String(code[code.index(after: $0)...]).trimmingBlanks } ?? code
        }
        self.diagnostic = diagnostic.flatMap { $0.isEmpty ? nil : $0 } ?? written
    }
}

/// A header field: its name in lower case, and its value in one line.
private struct Field {
    let name: String
    var value: String
}

/// An email or one of its parts (RFC 2045).
private struct Entity {
    let fields: [Field]
    let body: ArraySlice<String>

    init(_ lines: ArraySlice<String>) { (fields, body) = Self.split(lines) }

    /// The header fields at the beginning of `lines`, and the lines after the empty line that ends them.
    static func split(_ lines: ArraySlice<String>) -> (fields: [Field], rest: ArraySlice<String>) {
        var fields: [Field] = []
        for index in lines.indices {
            let line = lines[index]
            if line.isEmpty { return (fields, lines[(index + 1)...]) }
            if let first = line.utf8.first, first == 0x20 || first == 0x09 {
                if !fields.isEmpty { fields[fields.count - 1].value += " " + line.trimmingBlanks }
            } else if let colon = line.firstIndex(of: ":") {
                fields.append(
                    Field(
                        name: String(line[..<colon]).trimmingBlanks.lowercased(),
                        value: String(line[line.index(after: colon)...]).trimmingBlanks))
            }
        }
        return (fields, [])
    }

    /// The groups of fields of the status in this entity or in one of its parts; nil if there is none.
    func statusGroups(depth: Int) -> [[Field]]? {
        let type = fields.first { $0.name == "content-type" }?.value ?? ""
        let name = type.prefix { $0 != ";" }.lowercased().trimmingBlanks
        switch name {
        // RFC 6533 names the second one, for addresses that are not in ASCII.
        case "message/delivery-status", "message/global-delivery-status": return groups
        case _ where name.hasPrefix("multipart/") && depth > 0:
            guard let boundary = Self.boundary(in: type) else { return nil }
            for part in parts(boundary) {
                if let found = Entity(part).statusGroups(depth: depth - 1) { return found }
            }
            return nil
        default: return nil
        }
    }

    /// The groups of the body, which empty lines separate: one about the message, then one for each recipient.
    private var groups: [[Field]] {
        var (groups, rest): ([[Field]], ArraySlice<String>) = ([], body)
        while !rest.isEmpty {
            let (fields, after) = Self.split(rest)
            if !fields.isEmpty { groups.append(fields) }
            rest = after
        }
        return groups
    }

    /// The parts between lines with the boundary (RFC 2046, section 5.1.1). The last one may lack its end.
    private func parts(_ boundary: String) -> [ArraySlice<String>] {
        var (parts, start): ([ArraySlice<String>], Int?) = ([], nil)
        for index in body.indices where body[index].hasPrefix("--") {
            let line = body[index].trimmingBlanks
            let isEnd = line == "--\(boundary)--"
            guard isEnd || line == "--\(boundary)" else { continue }
            if let start { parts.append(body[start..<index]) }
            start = index + 1
            if isEnd { return parts }
        }
        if let start { parts.append(body[start...]) }
        return parts
    }

    private static func boundary(in type: String) -> String? {
        guard let found = type.firstMatch(of: /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/.ignoresCase()) else {
            return nil
        }
        return (found.output.1 ?? found.output.2).map { String($0).trimmingBlanks }
    }
}

extension String {
    /// The text of a line without the spaces and tabs at its ends.
    fileprivate var trimmingBlanks: String { trimmingCharacters(in: .whitespaces) }
}
