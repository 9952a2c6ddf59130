/// The fields of a JSContact object, for reading and writing.
struct JSFields {
    /// The reason why an object is not valid JSContact.
    struct Fault: Error {
        /// The fault and its place, for people.
        let sentence: String
    }

    private(set) var fields: [String: JSONValue]
    /// The path of the object in its card: `emails/e1`.
    private let path: String

    init(_ fields: [String: JSONValue], at path: String = "") { (self.fields, self.path) = (fields, path) }

    /// The fields of an object of this type.
    init(type: String) { self.init(["@type": .text(type)]) }

    func fault(_ what: String) -> Fault {
        Fault(sentence: "This is no card of JSContact: \(path.isEmpty ? "it" : "“\(path)”") \(what).")
    }

    // MARK: Reading

    /// A field's text; nil if it has none.
    subscript(name: String) -> String? { fields[name]?.text }

    /// A field's text.
    func text(_ name: String) throws(Fault) -> String {
        guard let text = self[name] else { throw fault("has no text “\(name)”") }
        return text
    }

    /// A field's text as a known word; nil if it is missing or another word.
    func word<Word: RawRepresentable<String>>(_ name: String) -> Word? { self[name].flatMap(Word.init) }

    func integer(_ name: String) -> Int? { fields[name]?.integer.flatMap { Int(exactly: $0) } }

    func flag(_ name: String) -> Bool { fields[name]?.flag ?? false }

    /// The words of a field that is a set: an object whose values are `true`. They are sorted, so that their order is
    /// stable.
    func set(_ name: String) -> [String] {
        guard case .object(let flags)? = fields[name] else { return [] }
        return flags.filter { $0.value.flag == true }.map(\.key).sorted(by: Self.precedes)
    }

    func words<Word: RawRepresentable<String> & Hashable>(_ name: String) -> Set<Word> {
        Set(set(name).compactMap(Word.init))
    }

    /// A field that is an object.
    func object(_ name: String) -> JSFields? {
        guard case .object(let fields)? = fields[name] else { return nil }
        return JSFields(fields, at: path.isEmpty ? name : "\(path)/\(name)")
    }

    /// The objects of a field that is a list.
    func list(_ name: String) throws(Fault) -> [JSFields] {
        guard case .array(let values)? = fields[name] else { return [] }
        var objects: [JSFields] = []
        for value in values {
            guard case .object(let fields) = value else {
                throw fault("has a “\(name)” of something else than objects")
            }
            objects.append(JSFields(fields, at: path.isEmpty ? name : "\(path)/\(name)"))
        }
        return objects
    }

    /// The objects of a field that is a map, with their ids. JSON keeps no order, so they are sorted by id, and numbers
    /// in ids count as numbers.
    func map(_ name: String) throws(Fault) -> [(id: String, fields: JSFields)] {
        guard case .object(let entries)? = fields[name] else { return [] }
        var objects: [(String, JSFields)] = []
        for id in entries.keys.sorted(by: Self.precedes) {
            guard case .object(let fields)? = entries[id] else { throw fault("has no object “\(name)/\(id)”") }
            objects.append((id, JSFields(fields, at: "\(name)/\(id)")))
        }
        return objects
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

    // MARK: Writing

    /// Sets a field; nil leaves it out.
    mutating func set(_ name: String, _ value: JSONValue?) { if let value { fields[name] = value } }
    mutating func set(_ name: String, _ text: String?) { set(name, text.map(JSONValue.text)) }
    mutating func set(_ name: String, _ number: Int?) { set(name, number.map { .integer(Int64($0)) }) }

    /// Sets a field that is a set of words, unless it is empty.
    mutating func set(_ name: String, _ words: some Sequence<String>) {
        let flags = Dictionary(words.map { ($0, JSONValue.flag(true)) }, uniquingKeysWith: { first, _ in first })
        if !flags.isEmpty { fields[name] = .object(flags) }
    }
}
