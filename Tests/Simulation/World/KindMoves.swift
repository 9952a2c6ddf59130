import Kith
import KithModel

/// What people do with records of the kind that a world has in addition to Kith's own.
struct KindMoves {
    let kind: SimulatedKind
    let world: World

    /// Creates, edits or removes a record of the additional kind.
    func edit(_ index: Int) throws {
        let content = try world.devices[index].content()
        guard let list = content.lists.filter({ $0.role >= .editor }).randomElement(using: &world.random) else {
            return
        }
        let records = try world.records(on: world.devices[index], content).filter {
            $0.collection == kind.schema.collection && $0.list == list.id
        }
        guard let record = records.randomElement(using: &world.random), !world.random.oneIn(4) else {
            return try create(in: list.id, index)
        }
        let key = RecordKey(record.collection, in: .ofList(record.list.retyped()), record.id)
        if world.random.oneIn(10) {
            try world.change(index, "removes the \(key.collection) \(key.id)") { changes in
                try changes.delete(key)
                world.auditor.removed(record.id, in: record.list)
            }
            return
        }
        guard let field = kind.schema.fields.filter({ $0.writer == .editor }).randomElement(using: &world.random) else {
            return
        }
        if case .sum = field.kind, world.random.oneIn(2) || !kind.schema.sums.isEmpty {
            let amount = Int.random(in: 1...9, using: &world.random)
            let what = "adds \(amount) to the \(field.name) of the \(key.collection) \(key.id)"
            try world.change(index, what) { changes in
                try changes.edit(key, .edit(set: [:], add: [field.name: Int64(amount)]))
                world.auditor.increased(field.name, of: record.id, in: record.list, by: amount)
            }
            return
        }
        let value = value(of: field, among: records)
        guard value != record.fields[field.name] else { return }
        try world.change(index, "writes \(value) as the \(field.name) of the \(key.collection) \(key.id)") { changes in
            try changes.set(key, [field.name: value])
            world.auditor.wrote(field.name, value, of: record.id, in: record.list)
        }
    }

    private func create(in list: ListID, _ index: Int) throws {
        let schema = kind.schema
        let id = RecordID<Never>(.version7(time: world.time, using: &world.random))
        let key = RecordKey(schema.collection, in: .ofList(list.retyped()), id)
        let written = schema.fields.filter { $0.isRequired || ($0.isFreeText && world.random.oneIn(2)) }
        let fields = Fields(uniqueKeysWithValues: written.map { ($0.name, value(of: $0, among: [])) })
        let texts = fields.filter { schema[$0.key]?.isFreeText ?? false }.compactMapValues(\.text)
        try world.change(index, "makes the \(key.collection) \(key.id) \(texts)") { changes in
            try changes.edit(key, .set(fields), creating: .anyID)
            world.auditor.created(key.id, of: key.collection, in: list, texts)
        }
    }

    /// A value that is valid for a field. Texts are unique.
    private func value(of field: Field, among records: [ShownRecord]) -> FieldValue {
        switch field.kind {
        case .text: .text(world.fresh(field.name))
        case .flag: .flag(Bool.random(using: &world.random))
        case .sum(let range): .integer(Int64.random(in: range, using: &world.random))
        case .choice(let words): .text(words.randomElement(using: &world.random) ?? "")
        case .indexKey:
            .text(
                (IndexKey.between(
                    records.randomElement(using: &world.random)?.fields[field.name]?.text.flatMap { IndexKey($0) }, nil)
                    ?? .first).text)
        case .identifier: .text(RecordID<Never>(.version7(time: world.time, using: &world.random)).description)
        case .time: .integer(world.time.milliseconds)
        case .digest, .entries: .null
        }
    }
}
