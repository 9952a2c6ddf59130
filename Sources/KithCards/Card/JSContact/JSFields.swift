/// The fields of a JSContact object, for reading and writing.
///
/// The model names each field once, for both directions: `fields.text("label", &label)` sets the label when the object
/// is read, and the field when it is written. A field of the wrong type counts as missing, and stays in
/// ``JSContact/further``. If a required field is missing, the object has a fault.
struct JSFields {
    /// The reason why an object is not valid JSContact.
    struct Fault: Error {
        /// The fault and its place, for people.
        let sentence: String
    }

    /// Whether the object is read. If not, it is written.
    let isReading: Bool
    private(set) var fields: [String: JSONValue]
    /// The first fault of the object or of an object in it.
    private(set) var fault: Fault?
    /// The path of the object in its card: `emails/e1`.
    private let path: String

    /// Reads the fields of an object.
    init(reading fields: [String: JSONValue], at path: String = "") {
        (isReading, self.fields, self.path) = (true, fields, path)
    }

    /// Writes a new object of this type.
    init(writing type: String?) {
        (isReading, fields, path) = (false, [:], "")
        fields["@type"] = type.map(JSONValue.text)
    }

    /// Records a fault, unless there already is one.
    mutating func fail(_ what: String) {
        let object = path.isEmpty ? "it" : "“\(path)”"
        fault = fault ?? Fault(sentence: "This is not a valid JSContact card: \(object) \(what).")
    }

    // MARK: - Values

    /// A required text.
    mutating func text(_ name: String, _ text: inout String) {
        var known: String? = text
        self.text(name, &known)
        if let known { text = known } else { fail("has no text “\(name)”") }
    }

    /// An optional text.
    mutating func text(_ name: String, _ text: inout String?) {
        if isReading { text = fields[name]?.text } else { fields[name] = text.map(JSONValue.text) }
    }

    /// An optional keyword. An unknown keyword is read as nil.
    mutating func word<Word: RawRepresentable<String>>(_ name: String, _ word: inout Word?) {
        var text = word?.rawValue
        self.text(name, &text)
        if isReading { word = text.flatMap(Word.init) }
    }

    /// A keyword with a default, which is not written.
    mutating func word<Word: RawRepresentable<String> & Equatable>(
        _ name: String, _ word: inout Word, usually usual: Word
    ) {
        var known = word == usual ? nil : word
        self.word(name, &known)
        word = known ?? usual
    }

    /// An optional whole number.
    mutating func integer(_ name: String, _ number: inout Int?) {
        if isReading {
            number = fields[name]?.integer.flatMap { Int(exactly: $0) }
        } else {
            fields[name] = number.map { .integer(Int64($0)) }
        }
    }

    /// A flag. False is not written.
    mutating func flag(_ name: String, _ flag: inout Bool) {
        if isReading { flag = fields[name]?.flag ?? false } else if flag { fields[name] = true }
    }

    /// A set: an object whose values are all true. The texts are sorted, so that their order is stable.
    mutating func set(_ name: String, _ texts: inout [String]) {
        if isReading {
            let flags = fields[name]?.object ?? [:]
            texts = flags.filter { $0.value.flag == true }.map(\.key).sorted(by: Self.precedes)
        } else if !texts.isEmpty {
            fields[name] = .object(Dictionary(texts.map { ($0, true) }, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// A set of keywords. Unknown keywords are not read.
    mutating func words<Word: RawRepresentable<String>>(_ name: String, _ words: inout Set<Word>) {
        var texts = words.map { $0.rawValue }
        set(name, &texts)
        if isReading { words = Set(texts.compactMap(Word.init)) }
    }

    /// The contexts and the preference of an entry.
    mutating func place(of entry: inout some PlacedEntry) {
        words("contexts", &entry.contexts)
        integer("pref", &entry.pref)
    }

    /// The vCard parameters that the model does not know, in `vCardParams`.
    mutating func parameters(_ parameters: inout VCard.Parameters) {
        if isReading {
            parameters = VCard.Parameters(jCard: fields["vCardParams"]?.object ?? [:])
        } else {
            let fields = parameters.jCard
            if !fields.isEmpty { self.fields["vCardParams"] = .object(fields) }
        }
    }

    // MARK: - Objects

    /// An optional object. `exchange` reads or writes its fields.
    mutating func object(
        _ name: String, _ type: String?, isWritten: Bool, exchange: (inout JSFields) -> Void
    ) {
        if !isReading {
            if isWritten { fields[name] = Self.json(type, exchange) }
        } else if let object = fields[name]?.object {
            read(object, at: path(to: name), exchange)
        }
    }

    /// A list of objects. `exchange` writes the given value, or reads one if it gets nil; it returns nil to skip the object.
    mutating func list<Value>(
        _ name: String, _ values: inout [Value], _ type: String, exchange: (Value?, inout JSFields) -> Value?
    ) {
        if isReading {
            guard case .array(let array)? = fields[name] else { return }
            let objects = array.compactMap { $0.object }
            guard objects.count == array.count else {
                return fail("has a “\(name)” with a value that is not an object")
            }
            for object in objects {
                read(object, at: path(to: name)) { fields in
                    if let value = exchange(nil, &fields) { values.append(value) }
                }
            }
        } else if !values.isEmpty {
            fields[name] = .array(values.map { value in Self.json(type) { _ = exchange(value, &$0) } })
        }
    }

    /// The components of a name or an address. `further` reads or writes additional fields of each.
    mutating func components<Part: NamedComponent>(
        _ parts: inout [Part], _ type: String, further: (inout Part, inout JSFields) -> Void = { _, _ in }
    ) where Part.PartKind: RawRepresentable<String> {
        list("components", &parts, type) { part, fields in
            var kind = part?.kind
            fields.word("kind", &kind)
            // The model cannot keep a component of an unknown kind.
            guard let kind else { return nil }
            var part = part ?? Part(kind: kind, value: "")
            fields.text("value", &part.value)
            further(&part, &fields)
            return part
        }
    }

    /// A map of entries. JSON objects are unordered, so the entries are sorted by key; digits at the end of a key count as a
    /// number.
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
            for (key, value) in map where !JSPointer.isForeign(value, at: [name, key]) {
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
