import Foundation
package import KithModel

/// The stored form of fields and stamps: JSON in canonical form.
///
/// ``JSONReader`` reads it, because a new device reads pages of up to 10,000 records, and `JSONDecoder` would take most
/// of that time.
package enum StoredText {
    /// The stored form of a record's fields.
    package static func text(_ fields: Fields) -> String { CanonicalForm.text(fields) }

    /// The stored form of a record's stamps. The common stamp has the empty name.
    package static func text(_ stamps: Stamps) -> String {
        let own = stamps.own.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        var json = JSONWriter()
        json.object { json in
            json.member(named: "") { write(stamps.common, to: &$0) }
            for (name, stamp) in own where !name.isEmpty { json.member(named: name) { write(stamp, to: &$0) } }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func write(_ stamp: Stamp, to json: inout JSONWriter) {
        json.value(.array([.integer(stamp.time.milliseconds), .integer(stamp.sequence), .integer(stamp.device)]))
    }

    /// The fields in `text`.
    package static func fields(_ text: String) throws -> Fields {
        var utf8 = text
        let read = utf8.withUTF8 { JSONReader.read(UnsafeRawBufferPointer($0)) { try $0.fields() } }
        // Only `JSONDecoder` reads fractions and the largest integers.
        guard let fields = read ?? (try? JSONDecoder().decode(Fields.self, from: Data(text.utf8))) else {
            throw unreadable
        }
        return fields
    }

    /// The name of a field that is stored as `bytes`, between quotes.
    static func name(_ bytes: [UInt8]) throws -> String {
        let quote = [UInt8(ascii: "\"")]
        guard let name = (quote + bytes + quote).withUnsafeBytes({ JSONReader.read($0) { try $0.text() } }) else {
            throw unreadable
        }
        return name
    }

    /// The stamps in `text`.
    package static func stamps(_ text: String) throws -> Stamps {
        var all = try fields(text)
        guard let common = all.removeValue(forKey: "").flatMap(stamp) else { throw unreadable }
        return Stamps(common: common, own: all.compactMapValues(stamp))
    }

    private static func stamp(_ value: FieldValue) -> Stamp? {
        guard case .array(let parts) = value, parts.count == 3, let time = parts[0].integer,
            let sequence = parts[1].integer, let device = parts[2].integer
        else { return nil }
        return Stamp(time: Timestamp(milliseconds: time), sequence: sequence, device: device)
    }

    /// The error for a text that is not in this form. It does not quote the text.
    static var unreadable: ServerError { DamagedRecord().serverError }
}
