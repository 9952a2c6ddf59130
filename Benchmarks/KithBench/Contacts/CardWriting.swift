import Foundation

/// The style in which a program writes its cards, according to the samples.
enum Manner: CaseIterable {
    case android, gmail, iPhone, outlook, khard

    /// The card of a person, from BEGIN to END.
    func card(of person: Person) -> [UInt8] {
        var lines = CardLines(end: self == .android || self == .outlook || self == .khard ? "\r\n" : "\n")
        lines.add("BEGIN:VCARD")
        switch self {
        case .android: writeAndroid(person, to: &lines)
        case .gmail: writeGmail(person, to: &lines)
        case .iPhone: writeIPhone(person, to: &lines)
        case .outlook: writeOutlook(person, to: &lines)
        case .khard: writeKhard(person, to: &lines)
        }
        lines.add("END:VCARD")
        return lines.bytes
    }

    private func writeAndroid(_ person: Person, to lines: inout CardLines) {
        lines.add("VERSION:2.1")
        lines.addQuoted("N", "\(person.family);\(person.given);;;")
        lines.addQuoted("FN", "\(person.given) \(person.family)")
        lines.add("TEL;CELL:\(person.mobile)")
        if let landline = person.landline { lines.add("TEL;HOME:\(landline)") }
        if let email = person.email { lines.add("EMAIL;HOME:\(email)") }
        lines.addQuoted("ADR;HOME", ";;\(person.street);\(person.city);;\(person.code);\(person.country)")
        if let organization = person.organization { lines.addQuoted("ORG", organization) }
        if let day = person.birthday { lines.add(String(format: "BDAY:%04d-%02d-%02d", day.year, day.month, day.day)) }
        if let photo = person.photo {
            lines.addFolded("PHOTO;ENCODING=BASE64;JPEG:" + photo.base64EncodedString())
            lines.add("")
        }
        if let note = person.note { lines.addQuoted("NOTE", note.replacing("\n", with: "\r\n")) }
    }

    private func writeGmail(_ person: Person, to lines: inout CardLines) {
        lines.add("VERSION:3.0")
        lines.add("FN:\(person.given) \(person.family)")
        lines.add("N:\(person.family);\(person.given);;;")
        if let email = person.email { lines.add("EMAIL;TYPE=INTERNET;TYPE=HOME:\(email)") }
        lines.add("TEL;TYPE=CELL:\(person.mobile)")
        if let landline = person.landline { lines.add("TEL;TYPE=HOME:\(landline)") }
        lines.add("ADR;TYPE=HOME:;;\(person.street)\\n\(person.code) \(person.city)\\n\(person.country);;;;")
        if let organization = person.organization { lines.add("ORG:\(escaped(organization))") }
        if let day = person.birthday { lines.add(String(format: "BDAY:%04d-%02d-%02d", day.year, day.month, day.day)) }
        lines.add("URL:https\\://kite.example/\(person.number)")
        if let note = person.note { lines.add("NOTE:\(escaped(note))") }
        lines.add("CATEGORIES:myContacts")
    }

    private func writeIPhone(_ person: Person, to lines: inout CardLines) {
        lines.add("VERSION:3.0")
        lines.add("PRODID:-//Apple Inc.//iPhone OS 17.6.1//EN")
        lines.add("N:\(person.family);\(person.given);;;")
        lines.add("FN:\(person.given) \(person.family)")
        if let organization = person.organization { lines.add("ORG:\(escaped(organization));") }
        if let email = person.email { lines.add("EMAIL;type=INTERNET;type=HOME;type=pref:\(email)") }
        lines.add("TEL;type=CELL;type=VOICE;type=pref:\(person.mobile)")
        if let landline = person.landline { lines.add("item1.TEL:\(landline)\nitem1.X-ABLabel:_$!<Other>!$_") }
        lines.add("item2.ADR;type=HOME;type=pref:;;\(person.street);\(person.city);;\(person.code);\(person.country)")
        lines.add("item2.X-ABADR:at")
        if let day = person.birthday {
            lines.add(String(format: "BDAY;X-APPLE-OMIT-YEAR=1604:1604-%02d-%02d", day.month, day.day))
        }
        lines.add("item3.X-ABDATE;type=pref:2011-09-03\nitem3.X-ABLabel:_$!<Anniversary>!$_")
        if let note = person.note { lines.add("NOTE:\(escaped(note))") }
        if let photo = person.photo { lines.addFolded("PHOTO;ENCODING=b;TYPE=JPEG:" + photo.base64EncodedString()) }
    }

    private func writeOutlook(_ person: Person, to lines: inout CardLines) {
        lines.add("VERSION:2.1")
        lines.addInWindows("N;LANGUAGE=de-at", "\(person.family);\(person.given)")
        lines.addInWindows("FN", "\(person.given) \(person.family)")
        if let organization = person.organization { lines.addInWindows("ORG", organization) }
        if let note = person.note { lines.addQuoted("NOTE", note.replacing("\n", with: "\r\n")) }
        lines.add("TEL;CELL;VOICE:\(person.mobile)")
        if let landline = person.landline { lines.add("TEL;HOME;VOICE:\(landline)") }
        lines.addInWindows(
            "ADR;HOME;PREF", ";;\(person.street);\(person.city);;\(person.code);\(person.country)")
        lines.addQuoted(
            "LABEL;HOME;PREF", "\(person.street)\r\n\(person.code) \(person.city)\r\n\(person.country)")
        if let photo = person.photo {
            lines.addFolded("PHOTO;TYPE=JPEG;ENCODING=BASE64:" + photo.base64EncodedString())
            lines.add("")
        }
        if let email = person.email { lines.add("EMAIL;PREF;INTERNET:\(email)") }
        lines.add("REV:20260220T075312Z")
    }

    private func writeKhard(_ person: Person, to lines: inout CardLines) {
        lines.add("VERSION:4.0")
        lines.add("PRODID:-//khard.readthedocs.io//khard v0.19.1//EN")
        lines.add(String(format: "UID:67480251-6dbc-5640-bd71-%012x", person.number))
        lines.add("FN:\(person.given) \(person.family)")
        lines.add("N:\(person.family);\(person.given);;;")
        lines.add(#"TEL;VALUE=uri;PREF=1;TYPE="cell,voice":tel:"# + person.mobile.replacing(" ", with: "-"))
        if let landline = person.landline { lines.add("TEL;TYPE=home:\(landline)") }
        if let email = person.email { lines.add("EMAIL;TYPE=home;PREF=1:\(email)") }
        lines.addFolded(
            "ADR;LABEL=\"\(person.street)^n\(person.code) \(person.city)\";TYPE=home:;;\(person.street);"
                + "\(person.city);;\(person.code);\(person.country)")
        if let organization = person.organization { lines.add("ORG:\(escaped(organization))") }
        if let day = person.birthday { lines.add(String(format: "BDAY:--%02d%02d", day.month, day.day)) }
        if let note = person.note { lines.addFolded("NOTE:\(escaped(note))") }
        if let photo = person.photo { lines.addFolded("PHOTO:data:image/jpeg;base64," + photo.base64EncodedString()) }
        lines.add("REV:20260105T093444Z")
    }

    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: #"\\"#).replacing(",", with: #"\,"#).replacing(";", with: #"\;"#)
            .replacing("\n", with: #"\n"#)
    }
}

/// Builds a card, line by line.
struct CardLines {
    private(set) var bytes: [UInt8] = []
    private let end: [UInt8]

    init(end: String) { self.end = Array(end.utf8) }

    mutating func add(_ line: String) { add(Array(line.utf8)) }

    /// Adds a line, folded into pieces of at most 75 bytes. Characters are never split.
    mutating func addFolded(_ line: String) {
        let utf8 = Array(line.utf8)
        var start = 0
        while start < utf8.count {
            var stop = min(start + (start == 0 ? 75 : 74), utf8.count)
            while stop < utf8.count, utf8[stop] & 0xC0 == 0x80 { stop -= 1 }
            add((start == 0 ? [] : [UInt8(ascii: " ")]) + utf8[start..<stop])
            start = stop
        }
    }

    /// Adds a value in quoted-printable, with a soft line break in each long line. A value in printable ASCII is added
    /// unchanged.
    mutating func addQuoted(_ header: String, _ value: String) {
        guard value.utf8.contains(where: { $0 >= 0x80 || $0 < 0x20 }) else { return add("\(header):\(value)") }
        var line = Array("\(header);CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:".utf8)
        for byte in value.utf8 {
            let isPlain = byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "=")
            let code = isPlain ? [byte] : Array(String(format: "=%02X", byte).utf8)
            if line.count + code.count > 75 {
                add(line + [UInt8(ascii: "=")])
                line = []
            }
            line += code
        }
        add(line)
    }

    /// Adds a value in Windows-1252, or in quoted-printable if that charset lacks one of its characters.
    mutating func addInWindows(_ header: String, _ value: String) {
        guard value.utf8.contains(where: { $0 >= 0x80 }) else { return add("\(header):\(value)") }
        guard let encoded = value.data(using: .windowsCP1252) else { return addQuoted(header, value) }
        add(Array("\(header);CHARSET=Windows-1252:".utf8) + encoded)
    }

    private mutating func add(_ line: [UInt8]) { bytes += line + end }
}
