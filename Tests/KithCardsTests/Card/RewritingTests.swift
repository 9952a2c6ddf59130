import KithCards
import Testing

@Suite("vCards that are rewritten") struct RewritingTests {
    @Test("A rewritten card of a real program is read as the same card", arguments: ProgramCard.all)
    func programs(card: ProgramCard) {
        let new = VCard(card.vCard, version: .v4_0)
        let (read, expected) = (new.comparable, card.vCard.comparable)
        for (left, right) in zip(Mirror(reflecting: read).children, Mirror(reflecting: expected).children) {
            #expect(left.value as? AnyHashable == right.value as? AnyHashable, "\(left.label ?? "") of \(new)")
        }
    }

    @Test("A translation stays beside the property that it translates", arguments: VCard.Version.allCases)
    func languages(version: VCard.Version) throws {
        let vCard = try VCard.of([
            "VERSION:4.0", "LANGUAGE:en", "FN;ALTID=2;LANGUAGE=en:Munich Ltd", "FN;ALTID=2;LANGUAGE=de:München GmbH",
            "TITLE;ALTID=1;LANGUAGE=fr:Patron", "TITLE;ALTID=1;LANGUAGE=en:Boss",
        ])
        let new = VCard(vCard, version: version)
        #expect(Card(new).titles.map(\.name) == ["Boss"])
        #expect(Card(new).name.full == "Munich Ltd")
        #expect(new.properties.map(\.text).contains("Patron"))
        #expect(new.properties.map(\.text).contains("München GmbH"))
    }

    @Test("Versions 2.1 and 3.0, which have one name, get one N of a name in several scripts")
    func scripts() throws {
        let vCard = try VCard.of([
            "VERSION:4.0", "FN;ALTID=1;LANGUAGE=en:Taro Yamada", "FN;ALTID=1;LANGUAGE=ja:山田太郎",
            "N;ALTID=2;LANGUAGE=en:Yamada;Taro;;;", "N;ALTID=2;LANGUAGE=ja:山田;太郎;;;",
        ])
        for version in VCard.Version.allCases {
            let new = VCard(vCard, version: version)
            #expect(new.properties.count { $0.knownName == .n } == (version == .v4_0 ? 2 : 1), "\(new)")
            #expect(new.properties.filter { $0.knownName == .fn }.map(\.text) == ["Taro Yamada", "山田太郎"])
        }
    }

    @Test(
        "Trap: a label that Apple's devices translate becomes a typed text – it stays as written",
        arguments: VCard.Version.allCases, [false, true])
    func predefinedLabels(version: VCard.Version, isJSContact: Bool) throws {
        let lines = [
            "item1.ADR:;;Ring 1;Wien;;1010;", "item1.X-ABLabel:_$!<School>!$_", "item2.X-ABRELATEDNAMES:Ben",
            "item2.X-ABLabel:_$!<Brother>!$_", "item3.X-ABRELATEDNAMES:Cleo", "item3.X-ABLabel:_$!<Assistant>!$_",
            "item4.X-ABDATE:2011-09-03", "item4.X-ABLabel:_$!<Other>!$_", "item5.ADR:;;Ring 2;Wien;;1010;",
            "item5.X-ABLabel:Hütte",
        ]
        // JSContact has a field for this label, in words.
        let page = ["item6.URL:https://example.com", "item6.X-ABLabel:_$!<HomePage>!$_"]
        let vCard = try VCard.of(["VERSION:3.0", "FN:Ada"] + lines + (isJSContact ? [] : page))
        let new = isJSContact ? VCard(JSContact(vCard), version: version) : VCard(vCard, version: version)
        let labels = { (card: VCard) in card.properties.filter { $0.knownName == .xABLabel }.map(\.text).sorted() }
        #expect(labels(new) == labels(vCard), "\(new)")
        #expect(Card(new).relatedTo.map(\.relations) == Card(vCard).relatedTo.map(\.relations))
    }

    @Test(
        "Trap: a sort key with a comma is read as two – it stays one, also beside others and in an organization",
        arguments: VCard.Version.allCases)
    func sortKeysWithCommas(version: VCard.Version) throws {
        let vCard = try VCard.of([
            "VERSION:3.0", "FN:Vincent", "N:van Gogh;Vincent;;;", "SORT-STRING:Gogh\\, van",
            "ORG;SORT-AS=\"Hats, The\",:The Hats",
        ])
        var card = Card(vCard)
        #expect(card.name.sortAs == [.surname: "Gogh, van"] && card.organizations[0].sortAs == "Hats, The")
        #expect(Card(VCard(vCard, version: version)) == card)
        #expect(Card(VCard(JSContact(vCard), version: version)) == card)
        card.name.sortAs[.given] = "V, W"
        let new = VCard(card, version: version)
        #expect(Card(new).name.sortAs == card.name.sortAs, "\(new)")
        var edited = new
        var other = Card(new)
        other.name.sortAs[.surname] = "Gogh"
        edited.apply(other)
        #expect(Card(edited).name.sortAs == [.surname: "Gogh", .given: "V, W"], "\(edited)")
    }

    @Test("A property that no model knows stays in the group of its entry, and no other entry comes into it")
    func groups() throws {
        let vCard = try VCard.of([
            "VERSION:3.0", "FN:Ada", "item2.TEL:1", "item2.X-FOO:x", "item7.EMAIL:a", "item7.X-ABLabel:Club",
            "item3.ORG:o", "item3.TITLE:t", "item3.X-BAR:y", "item1.X-ALONE:z",
        ])
        let lines = VCard(vCard, version: .v3_0).lines.filter { $0.contains("item") }
        let expected = [
            "item3.ORG:o", "item3.TITLE:t", "item4.EMAIL:a", "item4.X-ABLabel:Club", "item2.TEL:1", "item2.X-FOO:x",
            "item3.X-BAR:y", "item1.X-ALONE:z",
        ]
        #expect(lines == expected)
    }
}

extension VCard {
    /// The card without what is told apart in each vCard: ids, the places of embedded bytes, the order of sets. What
    /// cannot be decoded is not in it.
    fileprivate var comparable: Card {
        var card = Card(self)
        for path in [\Card.media, \.links, \.calendars, \.cryptoKeys, \.directories, \.schedulingAddresses] {
            card[keyPath: path] = card[keyPath: path].compactMap { resource in
                guard case .embedded = resource.content else { return resource }
                guard let bytes = data(of: resource) else { return nil }
                var resource = resource
                resource.content = .uri("\(bytes.count) bytes, \(bytes.hashValue)")
                resource.mediaType = nil
                return resource
            }
        }
        card.keywords.sort()
        card.members.sort()
        return card.renumbered
    }
}
