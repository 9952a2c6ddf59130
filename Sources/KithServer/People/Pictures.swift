package import Foundation
package import KithModel

/// The SQL statements about people's pictures of themselves, by account and SHA-256.
///
/// An account has at most ``Limits/pictures``. A new picture replaces the oldest picture that the profile does not
/// name, so earlier uploads never cause a refusal.
package enum Pictures {
    /// One picture.
    package struct Picture: Hashable, Sendable {
        package var type: PictureType
        package var bytes: Data
    }

    /// Stores a picture. Storing the same picture again renews its time.
    static func put(
        _ picture: Picture, hash: Data, of account: AccountID, at now: Timestamp, in transaction: any Transaction
    ) throws {
        // The uploads of an account run one after the other, so that each counts the previous ones.
        let accounts = try transaction.query(
            "SELECT id FROM account WHERE id = ?\(transaction.dialect.locking("account"))", [.id(account)])
        // The account may have been deleted during the upload.
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

    /// The number of bytes of each of these pictures. Pictures that the account does not have are left out. The hashes
    /// are in hexadecimal digits, as in a profile.
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

    /// A sentence that describes the fault of the pictures that the set fields name; nil if there is none. The sizes
    /// are those of the account's pictures: ``sizes(of:of:in:)``.
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

    /// The pictures that a change of a profile names, by hash.
    static func named(in change: Mutation.Change) -> [String] {
        guard case .edit(let set, _) = change else { return [] }
        return named(in: set)
    }

    /// The pictures that these fields of a profile name, in hexadecimal digits.
    static func named(in profile: Fields) -> [String] {
        PictureSize.allCases.compactMap { profile[$0.field]?.text }
    }

    /// Stores which pictures the account's profile names now.
    static func note(_ profile: Fields, of account: AccountID, in transaction: any Transaction) throws {
        let named = named(in: profile).compactMap(Hex.bytes)
        let (first, last) = (named.first ?? Data(), named.last ?? Data())
        try transaction.execute(
            """
            UPDATE picture SET is_named = CASE WHEN hash = ? OR hash = ? THEN 1 ELSE 0 END
            WHERE account = ? AND is_named <> CASE WHEN hash = ? OR hash = ? THEN 1 ELSE 0 END
            """, [.bytes(first), .bytes(last), .id(account), .bytes(first), .bytes(last)])
    }

    /// Removes up to `step` pictures that no profile names and that are older than ``Limits/unnamedPicture``.
    ///
    /// - Returns: The number of removed pictures.
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
