package import Foundation
import KithModel
import TextEncodings

/// The fields of a form, `application/x-www-form-urlencoded` (URL Standard, section 5).
package struct FormFields: Sendable {
    /// The largest form of a page, in bytes.
    package static let limit = 4 << 10

    /// The fields in the order of the form.
    package let fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)]) { self.fields = fields }

    /// Reads a form; nil if it is not in UTF-8 with its escapes, or has too many combining marks in a row.
    package init?(_ data: Data) {
        guard let text = String(data: data, encoding: .utf8), StreamSafeText.accepts(text) else { return nil }
        var fields: [(name: String, value: String)] = []
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding
            }
            guard let name = parts[0], let value = parts.count == 2 ? parts[1] : "", StreamSafeText.accepts(name),
                StreamSafeText.accepts(value)
            else { return nil }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// The first value with this name; nil if there is none.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The form as it is sent.
    package var encoded: Data {
        let pairs = fields.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        return Data(pairs.joined(separator: "&").utf8)
    }
}
