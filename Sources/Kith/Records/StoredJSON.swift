import Foundation
import KithModel

/// Encodes and decodes JSON in the replica's columns.
enum StoredJSON {
    static func text(_ fields: Fields) -> String { CanonicalForm.text(fields) }

    static func fields(_ text: String) throws -> Fields {
        try JSONDecoder().decode(Fields.self, from: Data(text.utf8))
    }

    static func value(_ text: String) throws -> FieldValue {
        try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8))
    }

    static func text(_ change: Mutation.Change) -> String {
        switch change {
        case .delete: #"{"delete":true}"#
        case .edit(let set, let add):
            CanonicalForm.text(["set": .object(set), "add": .object(add.mapValues(FieldValue.integer))])
        }
    }

    static func change(_ text: String) throws -> Mutation.Change {
        let fields = try fields(text)
        guard case .object(let set) = fields["set"], case .object(let add) = fields["add"] else { return .delete }
        return .edit(set: set, add: add.compactMapValues(\.integer))
    }
}
