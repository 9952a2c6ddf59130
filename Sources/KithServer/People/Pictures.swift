package import Foundation
package import KithModel

/// The statements about the pictures that people sent of themselves, by account and SHA-256.
///
/// An account has at most ``Limits/pictures``. Of those that its profile does not name the oldest makes room for a new
/// one, so an upload is never refused for what was uploaded before.
package enum Pictures {
    /// One picture.
    package struct Picture: Hashable, Sendable {
        package var type: PictureType
        package var bytes: Data
    }

    /// Keeps a picture. The same once more is kept as if it had just come.
    static func put(
        _ picture: Picture, hash: Data, of account: AccountID, at now: Timestamp, in transaction: any Transaction
    ) throws {
        // One upload of an account after another, so that they count each other.
        let accounts = try transaction.query(
            "SELECT id FROM account WHERE id = ?\(transaction.dialect.locking("account"))", [.id(account)])
        // It may have been deleted while the picture came.
        if accounts.isEmpty { throw ServerError.accountClosed }
        let others = try transaction.query(
            "SELECT hash FROM picture WHERE account = ? AND hash <> ? ORDER BY is_named, created, hash",
            [.id(account), .bytes(hash)])
        let surplus = others.prefix(max(0, others.count + 1 - Limits.pictures))
        try transaction.execute(
            wanted: ["hash"], surplus.map(\.values),
            "DELETE FROM picture WHERE account = ? AND is_named = 0 AND hash IN (SELECT hash FROM wanted)",
            [.id(account)])
        try transaction.execute(
            """
            INSERT INTO picture (account, hash, type, size, created, is_named, bytes) VALUES (?, ?, ?, ?, ?, 0, ?)
            ON CONFLICT (account, hash) DO UPDATE SET created = excluded.created
            """,
            [
                .id(account), .bytes(hash), .text(picture.type.rawValue), .integer(Int64(picture.bytes.count)),
                .time(now), .bytes(picture.bytes),
            ])
    }

    /// The picture of this hash; nil if the account has none.
    static func find(_ hash: Data, of account: AccountID, in transaction: any Transaction) throws -> Picture? {
        try transaction.query(
            "SELECT type, bytes FROM picture WHERE account = ? AND hash = ?", [.id(account), .bytes(hash)]
        ).first.flatMap { row in
            try PictureType(rawValue: try row.text(0)).map { Picture(type: $0, bytes: try row.bytes(1)) }
        }
    }

    /// How many bytes each of these pictures has. What the account does not have is not named. The hashes are in
    /// hexadecimal digits, as a profile names them.
    static func sizes(
        of hashes: Set<String>, of account: AccountID, in transaction: any Transaction
    ) throws -> [String: Int] {
        let rows = try transaction.query(
            wanted: ["hash"], hashes.sorted().compactMap { Hex.bytes($0).map { [.bytes($0)] } },
            """
            SELECT picture.hash, size FROM wanted CROSS JOIN picture
            WHERE picture.account = ? AND picture.hash = wanted.hash
            """, [.id(account)])
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (Hex.text(try $0.bytes(0)), Int(try $0.integer(1))) })
    }

    /// What is wrong with the pictures that a profile is to name by the fields that are set, in a sentence; nil if
    /// nothing is. The sizes are those of the pictures that the account has: ``sizes(of:of:in:)``.
    package static func fault(in set: Fields, sizes: [String: Int]) -> String? {
        for kind in PictureSize.allCases {
            let name = kind.field
            guard let hash = set[name]?.text else { continue }
            guard let size = sizes[hash] else {
                return "“\(name)” names a picture that is not here. Send it first, with PUT /v1/pictures/\(hash)."
            }
            if size > kind.limit {
                return "“\(name)” has \(size) bytes; at most \(kind.limit) fit. Make it smaller."
            }
        }
        return nil
    }

    /// The pictures that a change of a profile names.
    static func named(in change: Mutation.Change) -> [String] {
        guard case .edit(let set, _) = change else { return [] }
        return named(in: set)
    }

    /// The pictures that these fields of a profile name, in hexadecimal digits.
    static func named(in profile: Fields) -> [String] {
        PictureSize.allCases.compactMap { profile[$0.field]?.text }
    }

    /// Notes which pictures the account's profile names now.
    static func note(_ profile: Fields, of account: AccountID, in transaction: any Transaction) throws {
        let named = named(in: profile).compactMap(Hex.bytes)
        let (first, last) = (named.first ?? Data(), named.last ?? Data())
        try transaction.execute(
            """
            UPDATE picture SET is_named = CASE WHEN hash = ? OR hash = ? THEN 1 ELSE 0 END
            WHERE account = ? AND is_named <> CASE WHEN hash = ? OR hash = ? THEN 1 ELSE 0 END
            """, [.bytes(first), .bytes(last), .id(account), .bytes(first), .bytes(last)])
    }

    /// Removes all of an account.
    static func remove(of account: AccountID, in transaction: any Transaction) throws {
        try transaction.execute("DELETE FROM picture WHERE account = ?", [.id(account)])
    }

    /// Removes up to `step` pictures that no profile names and that are older than ``Limits/unnamedPicture``.
    ///
    /// - Returns: How many went.
    static func purge(_ now: Timestamp, _ step: Int64, in transaction: any Transaction) throws -> Int {
        let old = try transaction.query(
            "SELECT account, hash FROM picture WHERE is_named = 0 AND created < ? ORDER BY created LIMIT ?",
            [.time(now - Limits.unnamedPicture), .integer(step)])
        try transaction.execute(
            wanted: ["account", "hash"], old.map(\.values),
            "DELETE FROM picture WHERE is_named = 0 AND (account, hash) IN (SELECT account, hash FROM wanted)")
        return old.count
    }
}

/// Bytes as hexadecimal digits in lower case, as a profile names its pictures.
package enum Hex {
    /// The digits of these bytes.
    package static func text(_ bytes: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes that the digits tell; nil if they are something else.
    package static func bytes(_ text: String) -> Data? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        func value(_ digit: UInt8) -> UInt8? {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        var bytes = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
