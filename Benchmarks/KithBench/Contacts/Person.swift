import Foundation
import KithModel

/// A person in an address book. The same number always makes the same person.
struct Person {
    let number: Int
    let given, family: String
    let mobile: String
    let landline: String?
    let email: String?
    let organization: String?
    let street, city, code, country: String
    let birthday: (year: Int, month: Int, day: Int)?
    let note: String?
    /// The bytes of a photo. One person in ten has a photo.
    let photo: Data?

    /// The person of this number, with no photo if `hasPhotos` is false.
    init(_ number: Int, hasPhotos: Bool) { self.init(number, photoBytes: hasPhotos ? nil : 0) }

    /// The person of this number, with a photo of `photoBytes` bytes; 0 for no photo, nil for a random choice.
    init(_ number: Int, photoBytes: Int?) {
        var random = SplitMix64(seed: UInt64(number))
        func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &random)]
        }
        func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        self.number = number
        let isFarAway = happens(3)
        given = isFarAway ? pick(Words.givenFarAway) : pick(Words.given)
        family = isFarAway ? pick(Words.familyFarAway) : pick(Words.familyBeginnings) + pick(Words.familyEndings)
        let place = happens(70) ? Words.places[0] : pick(Words.places)
        mobile = place.mobile(number, isInternational: place.prefix != Words.places[0].prefix || happens(50))
        landline = happens(40) ? place.landline(number) : nil
        let mailbox = "\(given).\(family)".applyingTransform(.toLatin, reverse: false)?
            .applyingTransform(.stripDiacritics, reverse: false)?.lowercased().replacing(" ", with: "")
        email = happens(70) ? "\(mailbox ?? "someone").\(number)@\(pick(Words.hosts))" : nil
        organization = happens(35) ? "\(pick(Words.familyBeginnings))werk, Abteilung \(number % 7)" : nil
        street = "\(pick(Words.streets)) \(number % 90 + 1)"
        (city, code, country) = (place.city, place.code, place.country)
        birthday =
            happens(25)
            ? (
                Int.random(in: 1940...2015, using: &random), Int.random(in: 1...12, using: &random),
                Int.random(in: 1...28, using: &random)
            ) : nil
        note = happens(20) ? "\(pick(Words.notes))\n\(pick(Words.notes))" : nil
        let size = photoBytes ?? (happens(10) ? Int.random(in: 8_000...20_000, using: &random) : 0)
        photo = size > 0 ? Self.photo(bytes: size, using: &random) : nil
    }

    private static func photo(bytes: Int, using random: inout SplitMix64) -> Data {
        var photo = Data([0xFF, 0xD8, 0xFF, 0xE0])
        while photo.count < bytes { withUnsafeBytes(of: random.next()) { photo.append(contentsOf: $0) } }
        return photo
    }
}

/// A place where people live, and how people write telephone numbers there.
private struct Place {
    let city, code, country: String
    let prefix, mobileStart, landlineStart: String

    func mobile(_ number: Int, isInternational: Bool) -> String {
        let rest = String(2_000_000 + number)
        guard isInternational else { return "0\(mobileStart) \(rest)" }
        return number % 3 == 0 ? "00\(prefix) \(mobileStart) \(rest)" : "+\(prefix) \(mobileStart) \(rest)"
    }

    func landline(_ number: Int) -> String { "+\(prefix) (0)\(landlineStart)/\(3_000_000 + number)" }
}

/// The parts of names and addresses.
private enum Words {
    static let given = [
        "Anna", "Zoë", "Łukasz", "Jürgen", "Chloé", "Märta", "Amelia", "Noémi", "Valentin", "Ægir", "Inês", "João",
        "Lucrezia", "Holger", "Grace", "Ada", "Tomás", "Renée", "Björn", "Siobhán", "Hannelore", "Matthias", "Reto",
        "Veronika", "Josef", "Ingrid", "Rupert", "Göran", "Élodie", "Sinéad", "Peter", "Magdalena", "Carlos", "Aoife",
    ]
    static let familyBeginnings = [
        "Berg", "Stein", "Höll", "Wald", "Groß", "Lind", "Nord", "Öber", "Rosen", "Silber", "Grün", "Brunn", "Feld",
        "Kirch", "Sommer", "Winter", "Mühl", "Acker", "Bach", "Eichen", "Falken", "Garten", "Hafer", "Königs", "Löwen",
    ]
    static let familyEndings = [
        "er", "mann", "auer", "bauer", "ström", "berg", "quist", "feld", "hofer", "huber", "stein", "maier", "lund",
        "thaler", "egger", "inger", "wirth", "dal", "ström", "müller", "schmied", "leitner", "son", "sen", "egg",
    ]
    static let givenFarAway = ["Юлия", "Ελένη", "美咲", "Oğuz", "דנה"]
    static let familyFarAway = ["Иванова", "Παππάς", "田中", "Yılmaz", "לוי", "Кузнецов", "佐藤"]
    static let streets = ["Lindengasse", "Rue des Écoles", "Canal Street", "Hauptstraße", "Östgötagatan", "Via Roma"]
    static let hosts = ["example.org", "example.net", "kite.example", "bücher.example", "mail.example.com"]
    static let notes = [
        "Met at the kite festival, June 2019.", "Ruft lieber zurück, als zu schreiben.", "Allergic to nuts; has a dog.",
        "Drachenfest 🎏 um 14:00 beim Ausgang der U-Bahn, Schnur und gute Laune mitbringen.",
    ]
    static let places = [
        Place(
            city: "Wien", code: "1070", country: "Österreich", prefix: "43", mobileStart: "664", landlineStart: "1"),
        Place(
            city: "München", code: "80331", country: "Deutschland", prefix: "49", mobileStart: "176",
            landlineStart: "89"),
        Place(city: "Zürich", code: "8001", country: "Schweiz", prefix: "41", mobileStart: "79", landlineStart: "44"),
        Place(city: "Lyon", code: "69002", country: "France", prefix: "33", mobileStart: "61", landlineStart: "47"),
        Place(
            city: "Leeds", code: "LS1 2AB", country: "United Kingdom", prefix: "44", mobileStart: "770",
            landlineStart: "113"),
    ]
}
