package import Foundation

// The parts of a request, written without `JSONEncoder`.

extension SyncRequest {
    /// The request in JSON. `JSONDecoder` reads it as it reads what `JSONEncoder` writes.
    package var json: Data {
        var text =
            "{\"account\":\"\(account)\",\"device\":\"\(device)\",\"acknowledged\":{\"number\":\(acknowledged.number)"
        text.appendMember("hash", .text(acknowledged.hash))
        text += "},\"sent\":\(sent)"
        if let token { text.appendMember("token", .text(token.rawValue)) }
        if let kind { text.appendMember("kind", .text(kind)) }
        if let reread { text.appendMember("reread", .array(reread.map { .text($0.description) })) }
        text += ",\"mutations\":["
        for (index, mutation) in mutations.enumerated() {
            if index > 0 { text += "," }
            mutation.appendJSON(to: &text)
        }
        text += "]}"
        return Data(text.utf8)
    }
}

extension Mutation {
    /// Appends the mutation in JSON, without empty properties.
    fileprivate func appendJSON(to text: inout String) {
        text += "{\"id\":\"\(id)\",\"number\":\(number),\"feed\":\"\(feed)\",\"record\":\"\(record)\""
        text += ",\"seen\":\(seen),\"age\":\(age)"
        text.appendMember("collection", .text(collection.rawValue))
        if let group { text += ",\"group\":\(group)" }
        if !ages.isEmpty { text.appendMember("ages", .object(ages.mapValues(FieldValue.integer))) }
        switch change {
        case .edit(let set, let add):
            if !set.isEmpty || add.isEmpty { text.appendMember("set", .object(set)) }
            if !add.isEmpty { text.appendMember("add", .object(add.mapValues(FieldValue.integer))) }
        case .delete: text += ",\"delete\":true"
        }
        text += "}"
    }
}

extension String {
    /// Appends a further member of an object. The name needs no escapes.
    fileprivate mutating func appendMember(_ name: String, _ value: FieldValue) {
        self += ",\"\(name)\":"
        CanonicalForm.append(value, to: &self)
    }
}
