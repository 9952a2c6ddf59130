import KithCards
import Testing

/// Not only what the model knows: names, types and parameters are compared as the vCards have them.
@Suite("Conversions lose nothing") struct ConversionTests {
    @Test(
        "Every property, type and parameter of real cards is preserved, with documented exceptions",
        .enabled(if: !ProgramCard.all.isEmpty), arguments: ProgramCard.all, Conversion.allCases)
    func cards(card: ProgramCard, way: Conversion) throws {
        guard let back = try way.thereAndBack(card.vCard) else { return }
        let foretold = ConversionException.foretell(card.vCard, way, by: ConversionException.all)
        let (missing, surplus) = Self.difference(foretold, ToldProperty.all(of: back))
        #expect(missing.isEmpty && surplus.isEmpty, "lost: \(missing)\ncame: \(surplus)\nin \(back)")
    }

    @Test(
        "Each documented exception still occurs", .enabled(if: !CardFile.corpus.isEmpty, Corpora.absence),
        arguments: ConversionException.all.indices)
    func noIdleException(index: Int) {
        var others = ConversionException.all
        let exception = others.remove(at: index)
        let isSeen = ProgramCard.all.contains { card in
            Conversion.allCases.contains { way in
                ConversionException.foretell(card.vCard, way, by: others)
                    != ConversionException.foretell(card.vCard, way, by: ConversionException.all)
            }
        }
        #expect(isSeen, "\(exception.reason)")
    }

    @Test("Those of cards from other programs are preserved, too", arguments: SpokenCard.all, Conversion.allCases)
    func spoken(card: SpokenCard, way: Conversion) throws {
        let vCard = try VCard.of(card.lines)
        guard let back = try way.thereAndBack(vCard) else { return }
        let (missing, surplus) = Self.difference(ToldProperty.all(of: vCard), ToldProperty.all(of: back))
        #expect(missing.isEmpty && surplus.isEmpty, "lost: \(missing)\ncame: \(surplus)\nin \(back)")
    }

    /// What is in one list and not in the other, each as often as it is there.
    private static func difference(
        _ left: [ToldProperty], _ right: [ToldProperty]
    ) -> (missing: [ToldProperty], surplus: [ToldProperty]) {
        var surplus = right
        let missing = left.filter { told in
            guard let index = surplus.firstIndex(of: told) else { return true }
            surplus.remove(at: index)
            return false
        }
        return (missing, surplus)
    }
}

/// A card whose every word comes back on every way.
struct SpokenCard: CustomTestStringConvertible {
    let testDescription: String
    let lines: [String]

    private init(_ name: String, _ lines: String...) { (testDescription, self.lines) = (name, lines) }

    static let all = [
        SpokenCard(
            "Android", "VERSION:2.1", "N:Lovelace;Ada;;;", "FN:Ada Lovelace", "TEL;X-Segelboot:1",
            "TEL;CELL;X-WhatsApp:2",
            "TEL;HOME;ISDN:3", "TEL;MODEM;PREF:4", "EMAIL;INTERNET;WORK:a@example.com", "ADR;HOME;DOM;PARCEL:;;a;b;;;",
            "ORG;X-NEC-KANA=abc:Kite", "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;Jo;1"),
        SpokenCard(
            "Evolution", "VERSION:3.0", "FN:Ada Lovelace", "N:Lovelace;Ada;;;",
            "TEL;TYPE=WORK,VOICE;X-EVOLUTION-UI-SLOT=1;X-EVOLUTION-E164=\"660123,+43\":+43 660 123",
            "EMAIL;TYPE=OTHER;X-EVOLUTION-UI-SLOT=2:a@example.com", "TITLE;X-EVOLUTION-UI-SLOT=3:Boss",
            "NOTE;LANGUAGE=de:Notiz", "X-EVOLUTION-FILE-AS:Lovelace\\, Ada"),
        SpokenCard(
            "Apple", "VERSION:3.0", "FN:Ada Lovelace", "N:Lovelace;Ada;;;", "TEL;type=WhatsApp;type=pref:1",
            "BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-29", "item1.X-ABDATE;type=pref:2011-09-03",
            "item1.X-ABLabel:_$!<Anniversary>!$_", "X-SOCIALPROFILE;type=twitter;x-userid=7:http://twitter.com/ada",
            "URL;type=pref;X-FOO=\"a:b;c\":https://example.com"),
        SpokenCard(
            "KDE", "VERSION:3.0", "FN:Ada Lovelace", "N:Lovelace;Ada;;;", "X-messaging/xmpp-All:ada@example.com",
            "TEL;TYPE=CAR,PCS,BBS:1", "X-KADDRESSBOOK-CRYPTOPROTOPREF;X-a=b:x", "CATEGORIES;X-FOO=1:a,b",
            "CATEGORIES:c", "FN;X-FOO=2:Other", "UID;X-FOO=3:u"),
        SpokenCard(
            "RFC 6350", "VERSION:4.0", "FN;PID=1.1;X-FOO=a:Ada Lovelace", "N;PID=2.1:Lovelace;Ada;;;",
            "TEL;PID=3.1;TYPE=\"cell,x-segelboot\":1", "EMAIL;PID=4.1;INDEX=2:a@example.com",
            "NOTE;AUTHOR-NAME=Charles;AUTHOR=\"mailto:c@example.com\";CREATED=20221123T150132Z:n",
            "CLIENTPIDMAP:1;urn:uuid:3df403f4-5924-4bb7-b077-3c711d9eb34b", "MEMBER;PID=5.1:urn:uuid:1",
            "DEATHDATE:18521127", "DEATHPLACE:Marylebone\\, London", "TITLE;ALTID=1;LANGUAGE=en:Countess",
            "TITLE;ALTID=1;LANGUAGE=de:Gräfin", "ORG;TYPE=work;X-FOO=b:Kite", "HOBBY;INDEX=1;LEVEL=high:poems",
            "RELATED;TYPE=friend,pref:urn:uuid:2", "RELATED;TYPE=agent:urn:uuid:3"),
        SpokenCard(
            "An agent within version 2.1", "VERSION:2.1", "FN:Ada Lovelace", "N:Lovelace;Ada;;;", "AGENT;X-FOO=1:",
            "BEGIN:VCARD", "VERSION:2.1", "N:Friday;Fred;;;", "END:VCARD", "TEL:1"),
        SpokenCard(
            "Agents of version 3.0", "VERSION:3.0", "FN:Ada Lovelace", "N:Lovelace;Ada;;;",
            "AGENT;X-FOO=1:BEGIN:VCARD\\nFN:Fred\\nEND:VCARD\\n", "AGENT;VALUE=uri:CID:1", "AGENT:Ben"),
    ]
}
