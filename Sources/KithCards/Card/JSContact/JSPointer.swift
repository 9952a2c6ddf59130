/// A pointer into a JSContact object: a pointer of RFC 6901 without its first slash, as in JSPROP (RFC 9555, section
/// 3.2.1). An example is `phones/PHONE-1/example.com:foo`.
///
/// No pointer leads into a list, because the indices of its elements can change. It may lead to a list as a whole.
struct JSPointer {
    /// The keys of the path, outermost first.
    let keys: [String]

    var text: String { keys.map(Self.escaped).joined(separator: "/") }

    init(_ keys: [String]) { self.keys = keys }

    /// Parses a pointer; nil if the text is empty.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        keys = text.split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    private static func escaped(_ key: String) -> String {
        key.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    // MARK: An object

    /// Inserts a value at the pointer, unless there is one already. The objects around it must exist.
    /// - Returns: Whether the value was inserted.
    @discardableResult
    func put(_ value: JSONValue, into object: inout [String: JSONValue]) -> Bool {
        guard let key = keys.first else { return false }
        guard keys.count > 1 else {
            guard object[key] == nil else { return false }
            object[key] = value
            return true
        }
        guard case .object(var inner)? = object[key] else { return false }
        let isPut = JSPointer(Array(keys.dropFirst())).put(value, into: &inner)
        object[key] = .object(inner)
        return isPut
    }

    /// The value at the pointer; nil if there is none.
    func value(in object: [String: JSONValue]) -> JSONValue? {
        keys.dropFirst().reduce(keys.first.flatMap { object[$0] }) { $0?.object?[$1] }
    }

    /// Replaces the value at the pointer. The objects around it must exist.
    private func replace(by value: JSONValue, in object: inout [String: JSONValue]) {
        guard let key = keys.first else { return }
        guard keys.count > 1 else {
            object[key] = value
            return
        }
        guard case .object(var inner)? = object[key] else { return }
        JSPointer(Array(keys.dropFirst())).replace(by: value, in: &inner)
        object[key] = .object(inner)
    }

    // MARK: A card

    /// Inserts a value at the pointer into a card, as ``put(_:into:)`` does. An entry that is foreign to the model needs no
    /// others around it. A list takes the place of the model's own, if the model reads the same from both.
    @discardableResult
    func put(_ value: JSONValue, intoCard card: inout [String: JSONValue]) -> Bool {
        if keys.count == 2, card[keys[0]] == nil, Self.isForeign(value, at: keys) { card[keys[0]] = .object([:]) }
        if put(value, into: &card) { return true }
        guard isModelList, case .array = value, case .array? = self.value(in: card) else { return false }
        let written = surroundings(in: card)
        var further = written
        replace(by: value, in: &further)
        guard let same = Card(jsContact: further), same == Card(jsContact: written) else { return false }
        replace(by: value, in: &card)
        return true
    }

    /// Whether the pointer leads to a list that the model has.
    private var isModelList: Bool {
        switch (keys.count, keys.first, keys.last) {
        case (2, "name", "components"), (3, "addresses", "components"), (3, "organizations", "units"): true
        default: false
        }
    }

    /// What the model reads together with the value at the pointer: one field of the card, or one entry of a field.
    private func surroundings(in card: [String: JSONValue]) -> [String: JSONValue] {
        guard keys.count > 2, let entry = card[keys[0]]?.object?[keys[1]] else {
            return [keys[0]: card[keys[0]]].compactMapValues(\.self)
        }
        return [keys[0]: .object([keys[1]: entry])]
    }

    /// Whether the model reads nothing from this value of a field of the card, and keeps it as a further field.
    func isUnread(_ value: JSONValue) -> Bool {
        var fields: [String: JSONValue] = ["@type": "Card"]
        fields[keys[0]] = value
        return (try? JSContact(fields))?.further == [text: value]
    }

    /// Whether the value is an entry of a kind that the model does not know.
    static func isForeign(_ value: JSONValue, at keys: [String]) -> Bool {
        guard keys.count == 2, let known = kinds[keys[0]], let kind = value.object?["kind"]?.text else { return false }
        return !known.contains(kind)
    }

    /// The kinds of entries that the model knows, by the fields that hold them. An entry of another kind would become
    /// something else in a vCard: a video a photo.
    private static let kinds: [String: Set<String>] = [
        "media": ["photo", "sound", "logo"], "personalInfo": ["expertise", "hobby", "interest"],
        "anniversaries": ["birth", "death", "wedding"],
    ]

    /// The values of one object that another one lacks, by the pointers to them: those that were read and would not be
    /// written.
    static func rest(of read: [String: JSONValue], without written: [String: JSONValue]) -> [String: JSONValue] {
        var rest: [String: JSONValue] = [:]
        collect(read, written, [], &rest)
        return rest
    }

    private static func collect(
        _ read: [String: JSONValue], _ written: [String: JSONValue], _ path: [String],
        _ rest: inout [String: JSONValue]
    ) {
        for (key, value) in read where !isCarried(key) {
            let keys = path + [key]
            // A map of entries may have only foreign ones.
            let isMissing = path.isEmpty && written[key] == nil && kinds[key] != nil
            let known: [String: JSONValue]? = isMissing ? [:] : written[key]?.object
            if case .object(let inner) = value, let known {
                collect(inner, known, keys, &rest)
            } else if written[key] == nil, !isEntry(keys) || isForeign(value, at: keys), !isSilent(value, at: keys) {
                rest[JSPointer(keys).text] = value
            } else if case .array(let elements) = value, case .array(let list)? = written[key],
                hasMore(elements, than: list, at: keys)
            {
                rest[JSPointer(keys).text] = value
            }
        }
    }

    /// Whether a list has elements, or fields in its elements, that the model's list lacks.
    private static func hasMore(_ elements: [JSONValue], than list: [JSONValue], at path: [String]) -> Bool {
        guard elements.count == list.count else { return true }
        return zip(elements, list).contains { element, known in
            guard let element = element.object, let known = known.object else { return false }
            var rest: [String: JSONValue] = [:]
            collect(element, known, path + ["element"], &rest)
            return !rest.isEmpty
        }
    }

    /// Whether a field holds vCard data, which is handled separately.
    private static func isCarried(_ key: String) -> Bool { key == "vCardProps" || key == "vCardParams" }

    /// Whether the keys lead to an entry of a known field. The model handles entries as a whole.
    private static func isEntry(_ keys: [String]) -> Bool {
        guard keys.count == 2, let first = keys.first, JSContact.known.contains(first) else { return false }
        return first != "name" && first != "speakToAs"
    }

    /// Whether a JSContact field with this value means the same as no field. The name of a program's own field has a
    /// colon.
    private static func isSilent(_ value: JSONValue, at keys: [String]) -> Bool {
        guard keys.last?.contains(":") != true else { return false }
        return switch value {
        case .null, .flag(false): true
        case .array(let values): values.isEmpty
        case .object(let fields): fields.keys.allSatisfy { $0 == "@type" }
        case .text(let text): keys == ["kind"] && text == Card.Kind.individual.rawValue
        default: false
        }
    }
}

// MARK: - In a vCard

extension JSPointer {
    /// The pointer for a vCard of `version` that is made from `card`. Versions before 4.0 have no ids, so entries are
    /// identified by their indices.
    func pointer(in version: VCard.Version, of card: Card) -> JSPointer {
        let place = keys.first == "speakToAs" ? 2 : 1
        guard version != .v4_0, keys.count > place, let family = Self.families[keys[0]],
            let index = card.keys[family]?.firstIndex(of: keys[place])
        else { return self }
        var keys = keys
        keys[place] = family.id(at: index)
        return JSPointer(keys)
    }

    private static let families = Dictionary(
        uniqueKeysWithValues: CardPart.Family.table.filter(\.isMap).map { ($0.field, $0.family) })
}
