package import Foundation
package import KithModel

/// What `--json` prints: one object on one line, keys sorted, every key always there.
///
/// It is the value type of the records' fields, and is written in their
/// canonical form: equal answers are equal bytes.
package typealias JSON = FieldValue

extension FieldValue {
    /// A text, or null.
    static func text(orNull text: String?) -> JSON { text.map(JSON.text) ?? .null }

    static func count(_ count: Int) -> JSON { .integer(Int64(count)) }

    static func list<Element>(_ elements: [Element], _ shape: (Element) -> JSON) -> JSON {
        .array(elements.map(shape))
    }

    /// A moment as `2026-03-01T12:00:00.000Z`, or null.
    package static func moment(_ date: Date?) -> JSON {
        // The format cuts off; half a millisecond more makes it the nearest.
        text(
            orNull: date?.addingTimeInterval(0.0005).formatted(
                Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}

extension FieldValue {
    /// The JSON that a value writes of itself.
    init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(JSON.self, from: try JSONEncoder().encode(value))
    }
}
