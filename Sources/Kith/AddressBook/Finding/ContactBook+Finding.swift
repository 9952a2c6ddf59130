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

    /// The contacts that begin with what was typed: first those of whose numbers one does, then those of whose names a
    /// word does; each in the order of the book.
    func suggestions(for query: FindQuery, limit: Int) -> [Contact] {
        let byNumber = places(of: query.number)
        var found = byNumber.first(limit)
        if found.count < limit {
            found += namesakes(of: query).first(limit - found.count) {
                !byNumber.contains($0) && query.begins(nameOf: contacts[$0])
            }
        }
        return found.map { contacts[$0] }
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
        for keys in query.words.max(by: { $0.length < $1.length })?.keys ?? [] {
            places.insert(tables.names.words.places(in: keys))
        }
        return places
    }

    /// The contacts in which the query is found: first those whose names begin so, then the others; each in the order of
    /// the book.
    func search(_ query: FindQuery, limit: Int) -> [Contact] {
        guard let first = query.words.first else { return [] }
        let tables = tables.finding
        var found = places(of: first, in: tables)
        for word in query.words.dropFirst() { found.formIntersection(places(of: word, in: tables)) }
        for digits in query.number?.parts ?? [] { tables.text.insertPlaces(of: digits, into: &found) }
        let namesakes = found.first(limit) { query.begins(nameOf: contacts[$0]) }
        let named = PlaceSet(count: contacts.count, namesakes)
        let others = found.first(limit - namesakes.count) { !named.contains($0) }
        return (namesakes + others).map { contacts[$0] }
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
