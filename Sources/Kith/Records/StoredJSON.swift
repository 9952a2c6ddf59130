import Foundation
import KithModel

/// Encodes and decodes JSON in the replica's columns.
enum StoredJSON {
    static func text(_ fields: Fields) -> String { CanonicalForm.text(fields) }

    static func fields(_ text: String) throws -> Fields {
        let data = Data(text.utf8)
        return try JSONReader.read(data) { try $0.fields() } ?? JSONDecoder().decode(Fields.self, from: data)
    }

    static func value(_ text: String) throws -> FieldValue {
        let data = Data(text.utf8)
        return try JSONReader.read(data) { try $0.value() } ?? JSONDecoder().decode(FieldValue.self, from: data)
    }

    static func text(_ change: Mutation.Change) -> String {
        switch change {
        case .delete: #"{"delete":true}"#
        case .edit(let set, let add):
            CanonicalForm.text(["set": .object(set), "add": .object(add.mapValues(FieldValue.integer))])
        }
    }

    static func change(_ text: String) throws -> Mutation.Change {
        try Data(text.utf8).withUnsafeBytes(change)
    }

    /// Reads a change from the bytes of its text.
    static func change(_ bytes: UnsafeRawBufferPointer) throws -> Mutation.Change {
        let fields =
            try JSONReader.read(bytes) { try $0.fields() } ?? JSONDecoder().decode(Fields.self, from: Data(bytes))
        guard case .object(let set) = fields["set"], case .object(let add) = fields["add"] else { return .delete }
        return .edit(set: set, add: add.compactMapValues(\.integer))
    }
}
