import KithModel
import Testing

extension FieldTests {
    private static let hash = String(repeating: "0a", count: 32)

    /// The rows of what people say of themselves and want of each other.
    static let peopleRows: [Row] =
        texts(Profile.schema)
        + ["phones", "emails", "sites"].map { field in
            let longest = ["phones": 60, "emails": 254, "sites": 500][field] ?? 0
            let entry: FieldValue = .object(["value": Row.text("x", longest), "label": "home", "type": "mobile"])
            return entries(field, entry, upTo: 20, longest: longest, first: "value")
        } + [
            entries(
                "addresses", .object(["text": Row.text("x", 500), "label": "home"]), upTo: 10, longest: 500,
                first: "text"),
            Row.flag(Profile.schema, "isListed"),
            .text(Profile.schema, "claimedEmail", 254),
            Row.flag(Profile.schema, "isDiscoverable"),
            Row.flag(Profile.schema, "isNotifiedOfJoins"),
        ]
        + Profile.Part.allCases.map { part in
            Row(
                schema: Profile.schema, field: part.rawValue + "Visibility",
                good: ["nobody", "network", .null] + (part.widest == .everyone ? ["everyone"] : []),
                bad: ["all", "", true] + (part.widest == .everyone ? [] : ["everyone"]))
        } + texts(NetworkContact.schema) + [
            Row(
                schema: NetworkContact.schema, field: "wish", good: ["none", "connect", "accept", "decline", .null],
                bad: ["connected", "", true]),
            Row.flag(NetworkContact.schema, "isBlocked"),
            Row.flag(NetworkContact.schema, "isBot"),
            .text(NetworkContact.schema, "detailsTag", 64),
        ]
        + ["mutedFrom", "mutedUntil", "blocked", "asked", "accepted", "notified"].map { field in
            Row.time(NetworkContact.schema, field)
        }

    /// The texts that a profile has and a contact shows, and the hashes of its picture.
    private static func texts(_ schema: Schema) -> [Row] {
        let lengths = [
            ("given", 100), ("family", 100), ("nick", 100), ("title", 60), ("jobTitle", 100), ("company", 100),
            ("status", 200), ("language", 35), ("country", 2), ("timeZone", 60),
        ]
        return lengths.filter { schema[$0.0] != nil }.map { Row.text(schema, $0.0, $0.1) }
            + ["pictureSmall", "pictureLarge"].map { field in
                Row(
                    schema: schema, field: field, good: [.text(hash), .null],
                    bad: [.text(hash.uppercased()), .text(hash + "0"), "", 1, true])
            }
    }

    private static func entries(
        _ field: String, _ entry: FieldValue, upTo most: Int, longest: Int, first: String
    ) -> Row {
        Row(
            schema: Profile.schema, field: field,
            good: [.null, .array([]), .array([entry]), .array(Array(repeating: entry, count: most))],
            bad: [
                "x", 1, true, .object([:]), .array(["x"]), .array([.object([:])]), .array([.object([first: ""])]),
                .array([.object([first: " "])]), .array([.object([first: Row.text("x", longest + 1)])]),
                .array([.object([first: "a\0b"])]), .array([.object([first: 1])]),
                .array([.object([first: "x", "other": "y"])]),
                .array([.object([first: "x", "label": Row.text("x", 61)])]),
                .array(Array(repeating: entry, count: most + 1)),
            ])
    }
}
