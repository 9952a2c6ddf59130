/// Where something is in an object of JSContact: a pointer of RFC 6901 without its first slash, as JSPROP has it (RFC 9555,
/// section 3.2.1): `phones/PHONE-1/example.com:foo`. None points into a list, whose places can change.
struct JSPointer {
    /// The keys on the way, from the outermost object on.
    let keys: [String]

    var text: String { keys.map(Self.escaped).joined(separator: "/") }

    init(_ keys: [String]) { self.keys = keys }

    /// The pointer that a text is; nil if it points nowhere.
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

    /// Puts a value there, unless there is one already. What is around it has to be there.
    /// - Returns: Whether the value was put there.
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

    /// What one object has and another one has not, by the pointers to it: what was read and would not be written.
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
            if case .object(let inner) = value, case .object(let known)? = written[key] {
                collect(inner, known, keys, &rest)
            } else if written[key] == nil, !isEntry(keys), !isSilent(value, key) {
                rest[JSPointer(keys).text] = value
            }
        }
    }

    /// Whether a field has what belongs to a vCard, which is carried in its own way.
    private static func isCarried(_ key: String) -> Bool { key == "vCardProps" || key == "vCardParams" }

    /// Whether these are the keys of a field of the card, or of one of its entries: the model has all that these say, or
    /// more than JSContact can.
    private static func isEntry(_ keys: [String]) -> Bool {
        guard let first = keys.first, JSContact.known.contains(first) else { return false }
        return keys.count == 1 || keys.count == 2 && first != "name" && first != "speakToAs"
    }

    /// Whether a field of JSContact's own says no more than if it were not there. A field of a program's has a colon.
    private static func isSilent(_ value: JSONValue, _ key: String) -> Bool {
        guard !key.contains(":") else { return false }
        return switch value {
        case .null, .flag(false): true
        case .array(let values): values.isEmpty
        case .object(let fields): fields.isEmpty
        default: false
        }
    }
}

// MARK: - In a vCard

extension JSPointer {
    /// The pointer for a vCard of `version` that is made of `card`. Those before 4.0 have no ids: entries are told by
    /// their places.
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
