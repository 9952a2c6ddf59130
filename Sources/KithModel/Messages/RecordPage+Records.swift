import Foundation

extension RecordPage.Columns {
    /// Creates the columns of `records`, which are ordered by id. Each column has the type that its values have in common.
    package init(collection: RecordCollection, records: [RecordChange]) {
        var names: Set<String> = []
        for record in records { names.formUnion((record.fields ?? [:]).keys) }
        var fields: [String: RecordPage.Column] = [:]
        for name in names { fields[name] = .init(records.map { $0.fields?[name] ?? .null }) }
        self.init(
            collection: collection, ids: Data(records.flatMap { $0.id.uuid.data }),
            sequences: records.map(\.sequence), modified: records.map(\.modified), fields: fields)
    }
}

extension RecordPage.Column {
    fileprivate init(_ values: [FieldValue]) {
        if values.allSatisfy({ $0 == .null || $0.text != nil }) {
            self = .texts(values.map(\.text))
        } else if values.allSatisfy({ $0 == .null || $0.integer != nil }) {
            self = .integers(values.map(\.integer))
        } else if values.allSatisfy({ $0 == .null || $0.flag != nil }) {
            self = .flags(values.map(\.flag))
        } else {
            self = .values(values)
        }
    }
}
