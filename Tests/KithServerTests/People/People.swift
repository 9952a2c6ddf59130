import KithModel
import KithServer

/// What a phone says and knows of people.
extension Phone {
    /// A mutation of the contact record of `other`; it has seen what the replica has.
    func contact(_ other: Phone, _ fields: Fields, age: Int64 = 0) -> Mutation {
        mutation(home, .contacts, other.me, .set(fields), seen: replica[home]?[other.me]?.sequence ?? 0, age: age)
    }

    func wish(_ wish: NetworkContact.Wish, _ other: Phone, age: Int64 = 0) -> Mutation {
        contact(other, ["wish": .text(wish.rawValue)], age: age)
    }

    func profile(_ fields: Fields, age: Int64 = 0) -> Mutation {
        mutation(home, .profiles, Profile.id, .set(fields), seen: replica[home]?[Profile.id]?.sequence ?? 0, age: age)
    }

    /// How `other` stands in this phone's replica.
    func person(_ other: Phone) -> NetworkContact? {
        replica[home]?[other.me].map {
            NetworkContact(id: other.account, $0.fields ?? [:], modified: $0.modified)
        }
    }

    /// What this phone knows of `other`, as a word; `nothing` if it has no record.
    func relation(to other: Phone) -> String { person(other)?.relation.rawValue ?? "nothing" }
}

extension Town {
    /// Connects two people by a request and its acceptance.
    func connect(_ one: inout Phone, _ other: inout Phone) throws {
        try one.sync()
        try one.sync(one.wish(.connect, other))
        try other.sync()
        try other.sync(other.wish(.accept, one))
        try one.sync()
    }

    /// Tells everything that waits to be told, and says how many steps that took.
    @discardableResult
    func reach() throws -> Int {
        var steps = 0
        while try database.readNow({ try ProfileFanout.isWaiting(in: $0) }) {
            _ = try database.writeNow { [now] in try ProfileFanout.take(at: now, in: $0) }
            steps += 1
        }
        return steps
    }
}
