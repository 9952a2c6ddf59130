import Kith
import KithAddressBook
import KithDiscovery
import KithModel

/// The matches, with their names in the address book.
struct DiscoveryListing: Sendable {
    let matches: [Discovery.Match]
    let added: [Discovery.Match]
    /// Whether every number and email was looked for that should have been.
    let isWhole: Bool
    let status: Discovery.Status
    let contacts: [Contact]
    /// My contacts of the network, by their accounts.
    let people: [AccountID: NetworkContact]
    /// My own account. My own numbers may be in my address book too.
    let me: AccountID?
    /// The people that the command has asked, or has accepted a request from.
    let reached: [NetworkContact]

    func answer() -> CommandAnswer {
        var holders: [Identity: [Contact]] = [:]
        let found = Set(matches.map(\.identity))
        for contact in contacts {
            for identity in Set(contact.identities).intersection(found) {
                holders[identity, default: []].append(contact)
            }
        }
        let (status, added, people, me, reached) = (status, Set(added), people, me, reached)
        let others = matches.filter { $0.account != me }
        let rows = matches.map { ($0, holders[$0.identity] ?? []) }
        let matchShapes = rows.map { match, holders in
            [
                "identity": match.identity.text, "account": match.account, "contact": holders.first?.id,
                "name": holders.first?.displayName, "holders": holders.holderShapes,
                "isNew": added.contains(match), "isMe": match.account == me,
                "relation": people[match.account]?.relation ?? NetworkContact.Relation.none,
            ] as Shape
        }
        let shape: Shape = [
            "identities": status.identities, "lastLooked": status.lastLooked,
            "quota": status.quota.map { ["limit": $0.limit, "left": $0.left, "resets": $0.resets.date] as Shape },
            "matches": matchShapes, "connecting": reached.map(\.shape),
            "autoConnect": status.connectsAutomatically, "autoLook": status.isEnabled,
        ]
        return CommandAnswer(shape, status: isWhole ? .done : .refused) { colour in
            var table = Table()
            for (match, holders) in rows {
                table.add([
                    Table.Cell(holders.sharedName ?? ""), Table.Cell(match.identity.shown, .faint),
                    Table.Cell(added.contains(match) ? "new" : ""),
                    Table.Cell(match.account == me ? "you" : people[match.account]?.standing ?? ""),
                    Table.Cell(match.account.description, .faint),
                ])
            }
            let accounts = Set(others.map(\.account))
            var lines = table.lines(colour: colour)
            let looked = "of \(status.identities) numbers and emails looked for."
            lines.append(
                !status.hasLooked
                    ? "Nobody was looked for yet."
                    : "\(accounts.count.things("account")) on the service"
                        + (others.count > accounts.count
                            ? ", by \(others.count) numbers and emails, \(looked)" : ", \(looked)"))
            for (words, relation) in [("Asked", NetworkContact.Relation.sent), ("Connected", .connected)] {
                let names = reached.filter { $0.relation == relation }.map { $0.name(among: rows) }
                if !names.isEmpty { lines.append("\(words): \(names.joined(separator: ", "))".printable) }
            }
            if accounts.contains(where: { people[$0].isNothing }) {
                lines.append("To ask one: kith network connect NAME; all of them: kith discover --connect")
            }
            if status.connectsAutomatically {
                lines.append("You connect automatically with everyone found (--no-auto-connect).")
            }
            if status.isEnabled { lines.append("“kith watch” runs discovery automatically (--no-auto-look).") }
            return lines
        }
    }
}

extension NetworkContact {
    /// The person's name: from the network, or else from the address book.
    fileprivate func name(among rows: [(Discovery.Match, [Contact])]) -> String {
        fullName ?? rows.lazy.filter { $0.0.account == id }.compactMap { $0.1.sharedName }.first ?? called
    }
}
