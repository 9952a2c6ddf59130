package import Foundation

extension SyncRequest {
    /// The request in JSON, as `Codable` reads it.
    package var json: Data {
        var json = JSONWriter()
        json.object { json in
            json.member("account") { $0.id(account) }
            json.member("device") { $0.id(device) }
            json.member("acknowledged") { $0.acknowledgement(acknowledged) }
            json.member("sent") { $0.integer(sent) }
            json.member("mutations") { $0.array(mutations) { $0.mutation($1) } }
            if let token { json.member("token") { $0.text(token.rawValue) } }
            if let reread { json.member("reread") { $0.array(reread) { $0.id($1) } } }
            if let kind { json.member("kind") { $0.text(kind) } }
        }
        return Data(json.bytes)
    }
}

extension JSONWriter {
    /// Writes a mutation, without empty properties.
    fileprivate mutating func mutation(_ mutation: Mutation) {
        object { json in
            json.member("id") { $0.id(mutation.id) }
            json.member("number") { $0.integer(mutation.number) }
            json.member("feed") { $0.id(mutation.feed) }
            json.member("collection") { $0.text(mutation.collection.rawValue) }
            json.member("record") { $0.id(mutation.record) }
            json.member("seen") { $0.integer(mutation.seen) }
            json.member("age") { $0.integer(mutation.age) }
            if let group = mutation.group { json.member("group") { $0.integer(group) } }
            if !mutation.ages.isEmpty { json.member("ages") { $0.integers(mutation.ages) } }
            switch mutation.change {
            case .edit(let set, let add):
                if !set.isEmpty || add.isEmpty { json.member("set") { $0.fields(set) } }
                if !add.isEmpty { json.member("add") { $0.integers(add) } }
            case .delete: json.member("delete") { $0.flag(true) }
            }
        }
    }

    private mutating func integers(_ integers: [String: Int64]) { fields(integers.mapValues(FieldValue.integer)) }
}
