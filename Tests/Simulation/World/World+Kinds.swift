import Kith
import KithModel

/// What the world knows about collections, and what people do with records of the additional kind.
extension World {
    /// Whether people create and edit the records of a collection in lists. The auditor tracks these records.
    func follows(_ collection: RecordCollection) -> Bool {
        schemas[collection].map { $0.home == .list && $0.creator != .server } ?? false
    }

    func createsFeed(_ collection: RecordCollection) -> Bool { schemas[collection]?.createsFeed ?? false }

    /// The records of lists that a device shows.
    func records(on device: SimulatedDevice, _ look: Replica.Look) throws -> [ShownRecord] {
        let items = look.items.map(ShownRecord.init)
        guard let kind else { return items }
        return try items
            + device.replica.records(of: kind.schema.collection).map { key, fields in
                let shown = kind.schema.fields.map { ($0.name, $0.shown(fields[$0.name])) }
                return ShownRecord(
                    collection: key.collection, id: key.id, list: key.list, fields: Fields(uniqueKeysWithValues: shown))
            }
    }

    /// Creates, edits or removes a record of the additional kind.
    func edit(_ kind: SimulatedKind, _ index: Int) throws {
        let look = try devices[index].look()
        guard let list = look.lists.filter({ $0.role >= .editor }).randomElement(using: &random) else { return }
        let records = try records(on: devices[index], look).filter {
            $0.collection == kind.schema.collection && $0.list == list.id
        }
        guard let record = records.randomElement(using: &random), !random.oneIn(4) else {
            return try create(kind.schema, in: list.id, index)
        }
        let key = RecordKey(record.collection, in: record.list.retyped(), record.id)
        if random.oneIn(10) {
            try change(index, "removes the \(key.collection) \(key.id)") { changes in
                try changes.delete(key)
                self.auditor.removed(record.id, in: record.list)
            }
            return
        }
        guard let field = kind.schema.fields.filter({ $0.writer == .editor }).randomElement(using: &random) else {
            return
        }
        if case .sum = field.kind, random.oneIn(2) || !kind.schema.sums.isEmpty {
            let amount = Int.random(in: 1...9, using: &random)
            try change(index, "adds \(amount) to the \(field.name) of the \(key.collection) \(key.id)") { changes in
                try changes.edit(key, .edit(set: [:], add: [field.name: Int64(amount)]))
                self.auditor.increased(field.name, of: record.id, in: record.list, by: amount)
            }
            return
        }
        let value = value(of: field, among: records)
        guard value != record.fields[field.name] else { return }
        try change(index, "writes \(value) as the \(field.name) of the \(key.collection) \(key.id)") { changes in
            try changes.set(key, [field.name: value])
            self.auditor.wrote(field.name, value, of: record.id, in: record.list)
        }
    }

    private func create(_ schema: Schema, in list: ListID, _ index: Int) throws {
        let key = RecordKey(schema.collection, in: list.retyped(), RecordID(.version7(time: time, using: &random)))
        let written = schema.fields.filter { $0.isRequired || ($0.isFreeText && random.oneIn(2)) }
        let fields = Fields(uniqueKeysWithValues: written.map { ($0.name, value(of: $0, among: [])) })
        let texts = fields.filter { schema[$0.key]?.isFreeText ?? false }.compactMapValues(\.text)
        try change(index, "makes the \(key.collection) \(key.id) \(texts)") { changes in
            try changes.edit(key, .set(fields), creating: true)
            self.auditor.created(key.id, of: key.collection, in: list, texts)
        }
    }

    /// A value that is valid for a field. Texts are unique.
    private func value(of field: Field, among records: [ShownRecord]) -> FieldValue {
        switch field.kind {
        case .text: .text(fresh(field.name))
        case .flag: .flag(Bool.random(using: &random))
        case .sum(let range): .integer(Int64.random(in: range, using: &random))
        case .choice(let words): .text(words.randomElement(using: &random) ?? "")
        case .indexKey:
            .text(
                (IndexKey.between(
                    records.randomElement(using: &random)?.fields[field.name]?.text.flatMap { IndexKey($0) }, nil)
                    ?? .first).text)
        case .identifier: .text(RecordID<Never>(.version7(time: time, using: &random)).description)
        case .time: .integer(time.milliseconds)
        case .digest, .entries: .null
        }
    }
}

extension Field {
    /// Whether people can write any text to this field.
    var isFreeText: Bool { if case .text = kind { writer != .server } else { false } }
}

extension Schema {
    /// The fields that support additions.
    var sums: [Field] { fields.filter { if case .sum = $0.kind { true } else { false } } }
}
