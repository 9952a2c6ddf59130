import KithCards

extension Card {
    /// The same card with the ids that reading makes of places.
    var renumbered: Card {
        var card = self
        card.renumber(\.nicknames, "NICK")
        card.renumber(\.organizations, "ORG")
        card.renumber(\.titles, "TITLE")
        card.renumber(\.speakToAs.pronouns, "PRONOUNS")
        card.renumber(\.emails, "EMAIL")
        card.renumber(\.phones, "PHONE")
        card.renumber(\.onlineServices, "SERVICE")
        card.renumber(\.preferredLanguages, "LANG")
        card.renumber(\.addresses, "ADR")
        card.renumber(\.media, "MEDIA")
        card.renumber(\.links, "LINK")
        card.renumber(\.calendars, "CAL")
        card.renumber(\.cryptoKeys, "KEY")
        card.renumber(\.directories, "DIR")
        card.renumber(\.schedulingAddresses, "SCHED")
        card.renumber(\.anniversaries, "ANNIV")
        card.renumber(\.notes, "NOTE")
        card.renumber(\.relatedTo, "RELATED")
        card.renumber(\.personalInfo, "INFO")
        for index in titles.indices {
            let place = organizations.firstIndex { $0.id == titles[index].organization }
            card.titles[index].organization = place.map { card.organizations[$0].id }
        }
        return card
    }

    private mutating func renumber<Entry: CardEntry>(_ path: WritableKeyPath<Card, [Entry]>, _ prefix: String) {
        for index in self[keyPath: path].indices { self[keyPath: path][index].id = "\(prefix)-\(index + 1)" }
    }
}
