/// The fields of a JSContact object, on their way into the model or out of it.
///
/// A type of the model names each field once, for both directions: `fields.text("label", &label)` sets the label where
/// the object is read, and the field where it is written. A field that cannot be read is as if it were not there; where
/// the model cannot be without it, the object has a fault.
struct JSFields {
    /// What makes an object none of JSContact's.
    struct Fault: Error {
        /// What is wrong and where, for people.
        let sentence: String
    }

    /// Whether the object is read; else it is written.
    let isReading: Bool
    private(set) var fields: [String: JSONValue]
    /// The first fault of the object.
    private(set) var fault: Fault?
    /// Where the object is in its card: `emails/e1`.
    private let path: String

    /// The fields of an object that is read.
    init(reading fields: [String: JSONValue], at path: String = "") {
        (isReading, self.fields, self.path) = (true, fields, path)
    }

    /// The fields of a new object of this type.
    init(writing type: String?) {
        (isReading, fields, path) = (false, [:], "")
        fields["@type"] = type.map(JSONValue.text)
    }

    /// Notes a fault, unless there is one already.
    mutating func fail(_ what: String) {
        let object = path.isEmpty ? "it" : "“\(path)”"
        fault = fault ?? Fault(sentence: "This is no card of JSContact: \(object) \(what).")
    }

    // MARK: - Values

    /// A text that has to be there.
    mutating func text(_ name: String, _ text: inout String) {
        var known: String? = text
        self.text(name, &known)
        if let known { text = known } else { fail("has no text “\(name)”") }
    }

    /// A text, or nothing.
    mutating func text(_ name: String, _ text: inout String?) {
        if isReading { text = fields[name]?.text } else { fields[name] = text.map(JSONValue.text) }
    }

    /// One of a few words, or nothing.
    mutating func word<Word: RawRepresentable<String>>(_ name: String, _ word: inout Word?) {
        var text = word?.rawValue
        self.text(name, &text)
        if isReading { word = text.flatMap(Word.init) }
    }

    /// One of a few words. The usual one is not written.
    mutating func word<Word: RawRepresentable<String> & Equatable>(
        _ name: String, _ word: inout Word, usually usual: Word
    ) {
        var known = word == usual ? nil : word
        self.word(name, &known)
        word = known ?? usual
    }

    /// A whole number, or nothing.
    mutating func integer(_ name: String, _ number: inout Int?) {
        if isReading {
            number = fields[name]?.integer.flatMap { Int(exactly: $0) }
        } else {
            fields[name] = number.map { .integer(Int64($0)) }
        }
    }

    /// Yes or no. A no is not written.
    mutating func flag(_ name: String, _ flag: inout Bool) {
        if isReading { flag = fields[name]?.flag ?? false } else if flag { fields[name] = true }
    }

    /// A set: an object of which each value is true. It is read in order, so that it is always the same.
    mutating func set(_ name: String, _ texts: inout [String]) {
        if isReading {
            let flags = fields[name]?.object ?? [:]
            texts = flags.filter { $0.value.flag == true }.map(\.key).sorted(by: Self.precedes)
        } else if !texts.isEmpty {
            fields[name] = .object(Dictionary(texts.map { ($0, true) }, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// A set of words. Those that the model does not know are not read.
    mutating func words<Word: RawRepresentable<String>>(_ name: String, _ words: inout Set<Word>) {
        var texts = words.map { $0.rawValue }
        set(name, &texts)
        if isReading { words = Set(texts.compactMap(Word.init)) }
    }

    /// Where an entry belongs, and which to prefer.
    mutating func place(of entry: inout some PlacedEntry) {
        words("contexts", &entry.contexts)
        integer("pref", &entry.pref)
    }

    /// The parameters that a vCard has besides.
    mutating func parameters(_ parameters: inout VCard.Parameters) {
        if isReading {
            parameters = VCard.Parameters(jCard: fields["vCardParams"]?.object ?? [:])
        } else {
            let fields = parameters.jCard
            if !fields.isEmpty { self.fields["vCardParams"] = .object(fields) }
        }
    }

    // MARK: - Objects

    /// An object, whose fields `exchange` reads or writes; nothing if it is not there.
    mutating func object(
        _ name: String, _ type: String?, isWritten: Bool, exchange: (inout JSFields) -> Void
    ) {
        if !isReading {
            if isWritten { fields[name] = Self.json(type, exchange) }
        } else if let object = fields[name]?.object {
            read(object, at: path(to: name), exchange)
        }
    }

    /// A list of objects. `exchange` is given a value to write, or none and reads one; nil leaves the object out.
    mutating func list<Value>(
        _ name: String, _ values: inout [Value], _ type: String, exchange: (Value?, inout JSFields) -> Value?
    ) {
        if isReading {
            guard case .array(let array)? = fields[name] else { return }
            let objects = array.compactMap { $0.object }
            guard objects.count == array.count else { return fail("has a “\(name)” of something else than objects") }
            for object in objects {
                read(object, at: path(to: name)) { fields in
                    if let value = exchange(nil, &fields) { values.append(value) }
                }
            }
        } else if !values.isEmpty {
            fields[name] = .array(values.map { value in Self.json(type) { _ = exchange(value, &$0) } })
        }
    }

    /// The parts of a name or an address, and what `further` reads or writes of each.
    mutating func components<Part: NamedComponent>(
        _ parts: inout [Part], _ type: String, further: (inout Part, inout JSFields) -> Void = { _, _ in }
    ) where Part.PartKind: RawRepresentable<String> {
        list("components", &parts, type) { part, fields in
            var kind = part?.kind
            fields.word("kind", &kind)
            // A kind that the model does not know says nothing that it could keep.
            guard let kind else { return nil }
            var part = part ?? Part(kind: kind, value: "")
            fields.text("value", &part.value)
            further(&part, &fields)
            return part
        }
    }

    /// A map of entries. JSON keeps no order: they are read in that of their keys, numbers as such.
    mutating func map<Entry: JSContactEntry>(_ name: String, _ entries: inout [Entry], _ type: String) {
        func exchange(_ entry: inout Entry, with fields: inout JSFields) {
            entry.exchange(with: &fields)
            fields.parameters(&entry.vCardParameters)
        }
        if isReading {
            let map = (fields[name]?.object ?? [:]).sorted { Self.precedes($0.key, $1.key) }
            if let (key, _) = map.first(where: { $0.value.object == nil }) {
                return fail("has no object “\(name)/\(key)”")
            }
            for (key, value) in map {
                var entry = Entry(key: key, at: entries.count)
                read(value.object ?? [:], at: "\(name)/\(key)") { exchange(&entry, with: &$0) }
                entries.append(entry)
            }
        } else {
            var objects: [String: JSONValue] = [:]
            for var entry in Entry.joined(entries) where entry.isSaid {
                objects[entry.key] = Self.json(type) { exchange(&entry, with: &$0) }
            }
            if !objects.isEmpty { fields[name] = .object(objects) }
        }
    }

    private func path(to name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }

    private mutating func read(
        _ object: [String: JSONValue], at path: String, _ exchange: (inout JSFields) -> Void
    ) {
        var inner = JSFields(reading: object, at: path)
        exchange(&inner)
        fault = fault ?? inner.fault
    }

    private static func json(_ type: String?, _ exchange: (inout JSFields) -> Void) -> JSONValue {
        var inner = JSFields(writing: type)
        exchange(&inner)
        return .object(inner.fields)
    }

    /// Whether a key comes before another: `EMAIL-2` before `EMAIL-10`.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        let (leftNumber, rightNumber) = (number(left), number(right))
        guard leftNumber.prefix == rightNumber.prefix, leftNumber.number != rightNumber.number else {
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
        return leftNumber.number < rightNumber.number
    }

    private static func number(_ key: String) -> (prefix: Substring, number: Int) {
        let digits = key.reversed().prefix { $0.isASCII && $0.isNumber }
        return (key.dropLast(digits.count), Int(String(digits.reversed())) ?? 0)
    }
}
