import Kith
import KithModel

/// A kind of content of a store: how sentences name it, and the command that shows it.
struct ContentKind: Sendable {
    let collection: RecordCollection
    /// The words for one.
    let one: String
    /// The word after any other number.
    let many: String
    let command: String

    /// The kinds, in the order in which sentences name them.
    static let all = [
        ContentKind(collection: .lists, one: "1 list", many: "lists", command: "lists"),
        ContentKind(collection: .contacts, one: "1 person", many: "people", command: "network"),
        ContentKind(collection: .profiles, one: "a profile", many: "profiles", command: "profile"),
        ContentKind(collection: .invitations, one: "1 invitation", many: "invitations", command: "invite"),
        ContentKind(collection: .shareables, one: "1 share link", many: "share links", command: "share"),
        ContentKind(collection: .shares, one: "1 share", many: "shares", command: "share shares"),
        ContentKind(collection: .claims, one: "1 used code", many: "used codes", command: "share claims"),
        ContentKind(collection: .referrals, one: "1 referral", many: "referrals", command: "share referrals"),
        ContentKind(collection: .rewards, one: "1 reward", many: "rewards", command: "share rewards"),
    ]

    func words(_ count: Int) -> String { count == 1 ? one : "\(count) \(many)" }
}

extension StoredAccount {
    /// What the store contains: “2 lists, a profile, 1 unsent edit”.
    var contents: String {
        var parts = recordWords()
        if waiting > 0 { parts.append(waiting.things("unsent edit")) }
        if rejections > 0 { parts.append(rejections.things("rejection")) }
        if lastRemoval != nil { parts.append("1 removal that can be undone") }
        return parts.isEmpty ? "nothing in it" : parts.joined(separator: ", ")
    }

    /// The records besides lists: “a profile, 2 share links”; empty if there are none.
    var contentsBesidesLists: String { recordWords(besides: .lists).joined(separator: ", ") }

    /// The commands that show what is in the store.
    var showingCommands: String {
        var commands = ContentKind.all.filter { records[$0.collection] != nil }.map(\.command)
        if rejections > 0 { commands.append("rejections") }
        if commands.isEmpty { commands = ["status"] }
        return commands.map { "kith --account \(scope.typed) \($0)" }.joined(separator: ", ")
    }

    private func recordWords(besides left: RecordCollection? = nil) -> [String] {
        var words: [String] = []
        var unknown = records
        for kind in ContentKind.all {
            guard let count = unknown.removeValue(forKey: kind.collection), kind.collection != left else { continue }
            words.append(kind.words(count))
        }
        // Kinds of newer versions, and of apps.
        let others = unknown.values.reduce(0, +)
        return others > 0 ? words + [others.things("other record")] : words
    }
}
