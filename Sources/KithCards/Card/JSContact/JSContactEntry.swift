/// A kind of entry that a JSContact card can have several of.
protocol JSContactList: CardEntry {
    /// The entries as a map of objects of this type; nil if there are none.
    static func jsContact(_ entries: [Self], _ type: String) -> JSONValue?
    /// The entries in the map of this name.
    static func entries(of fields: JSFields, _ name: String) throws(JSFields.Fault) -> [Self]
}

/// An entry that JSContact keeps in a map by its id.
protocol JSContactEntry: JSContactList {
    /// Writes the fields of the entry; returns false if JSContact cannot express it.
    func write(to fields: inout JSFields) -> Bool
    init(id: String, _ fields: JSFields) throws(JSFields.Fault)
}

extension JSContactEntry {
    static func jsContact(_ entries: [Self], _ type: String) -> JSONValue? {
        var map: [String: JSONValue] = [:]
        for entry in entries {
            var fields = JSFields(type: type)
            guard entry.write(to: &fields) else { continue }
            fields.set(entry.vCardParameters)
            map[entry.id] = .object(fields.fields)
        }
        return map.isEmpty ? nil : .object(map)
    }

    static func entries(of fields: JSFields, _ name: String) throws(JSFields.Fault) -> [Self] {
        var entries: [Self] = []
        for (id, fields) in try fields.map(name) {
            var entry = try Self(id: id, fields)
            entry.vCardParameters = fields.vCardParameters
            entries.append(entry)
        }
        return entries
    }
}
