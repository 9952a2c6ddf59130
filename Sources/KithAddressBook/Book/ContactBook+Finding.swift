import KithCards
import KithModel

extension ContactBook {
    // MARK: One contact

    /// The contact that has this card, or nil.
    func contact(_ id: Contact.ID) -> Contact? {
        for place in tables.names.ids.places(of: PlaceTable.key(of: id))
        where contacts[place].filed.contains(where: { $0.id == id }) {
            return contacts[place]
        }
        return nil
    }

    /// The contact that goes by this id, or nil.
    func contact(whoseIDIs id: Contact.ID) -> Contact? { contact(id).flatMap { $0.id == id ? $0 : nil } }

    /// The contact of a number, the one that goes by these names before others.
    func contact(withPhone sought: PhoneIdentity, _ names: SoughtNames) -> Contact? {
        let places =
            switch sought {
            case .e164(let number): Array(tables.finding.international.places(of: Digits.key(of: number.digits)))
            case .digits(let digits): Array(tables.finding.national.places(of: Digits.key(of: digits)))
            case .text: [Int]()
            }
        return names.best(of: places.map { contacts[$0] }) { card in
            zip(card.card.phones, card.details.numbers).contains { PhoneIdentity($0.number, $1) == sought }
        }
    }

    /// The contact of an address, the one that goes by these names before others.
    func contact(withEmail text: String, _ names: SoughtNames) -> Contact? {
        guard let address = EmailAddress(text) else { return nil }
        let places = tables.finding.emails.places(of: PlaceTable.key(of: address))
        return names.best(of: places.map { contacts[$0] }) { $0.details.addresses.contains(address) }
    }

    // MARK: While typing

    /// The contacts that begin with what was typed: first those of whose numbers one does; then those of whose names a
    /// word does, whole names before whole words before beginnings; then those of whose numbers one does behind its area's
    /// code; each in the order of the book.
    func suggestions(for query: FindQuery, limit: Int) -> [Contact] {
        var found = Ranking(count: contacts.count, limit: limit)
        found.take(places(of: query.number))
        if !found.isFull { take(namesOf: query, namesakes(of: query), into: &found) }
        if !found.isFull, let number = query.number, let local = number.local {
            var places = PlaceSet(count: contacts.count)
            tables.finding.text.insertPlaces(of: local.map { $0 + UInt8(ascii: "0") }, into: &places)
            found.take(places) { number.begins(localNumberOf: contacts[$0]) }
        }
        return found.places.map { contacts[$0] }
    }

    /// Takes those of some contacts whose names are what is looked for, or begin with it.
    private func take(namesOf query: FindQuery, _ places: PlaceSet, into found: inout Ranking) {
        var exact = PlaceSet(count: contacts.count)
        for key in query.longestWord?.wholeKeys ?? [] { exact.insert(tables.names.words.places(of: key)) }
        exact.formIntersection(places)
        let named = PlaceSet(count: contacts.count, exact.first(.max) { query.isPart(ofNameOf: contacts[$0]) })
        found.take(named) { query.isWholeName(of: contacts[$0]) }
        found.take(named)
        found.take(places) { query.begins(nameOf: contacts[$0]) }
    }

    private func places(of number: TypedNumber?) -> PlaceSet {
        var places = PlaceSet(count: contacts.count)
        guard let number else { return places }
        for digits in number.international {
            places.insert(tables.finding.international.places(in: Digits.keys(beginningWith: digits)))
        }
        for digits in number.national {
            places.insert(tables.finding.national.places(in: Digits.keys(beginningWith: digits)))
        }
        return places
    }

    /// Those with a word like the longest of the query, and some others.
    private func namesakes(of query: FindQuery) -> PlaceSet {
        var places = PlaceSet(count: contacts.count)
        for keys in query.longestWord?.keys ?? [] {
            places.insert(tables.names.words.places(in: keys))
        }
        return places
    }

    /// The contacts in which the query is found: first those whose names are so, then those whose names begin so, then the
    /// others; each in the order of the book.
    func search(_ query: FindQuery, limit: Int) -> [Contact] {
        guard let first = query.words.first else { return [] }
        let tables = tables.finding
        var places = places(of: first, in: tables)
        for word in query.words.dropFirst() { places.formIntersection(self.places(of: word, in: tables)) }
        for digits in query.number?.parts ?? [] { tables.text.insertPlaces(of: digits, into: &places) }
        var found = Ranking(count: contacts.count, limit: limit)
        take(namesOf: query, places, into: &found)
        found.take(places)
        return found.places.map { contacts[$0] }
    }

    /// Those in which a word stands, anywhere, or sounds like one of the name.
    private func places(of word: FindWord, in tables: FindingTables) -> PlaceSet {
        var places = PlaceSet(count: contacts.count)
        for letters in word.spellings + word.withoutDigraphs {
            tables.text.insertPlaces(of: letters, into: &places)
        }
        for sound in word.sounds { places.insert(tables.sounds.places(of: sound.letters)) }
        return places
    }
}
