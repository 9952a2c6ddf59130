import Foundation
public import KithModel

/// Identities that an app derives from its own names, so that repeating an import creates no duplicates.
extension RecordID {
    /// The identity for `name`, the app's own name for a record. It is the same each time, on every device.
    ///
    /// ```swift
    /// try await client.lists.add(old.title, to: list, id: ItemID(stable: old.key, in: "com.example.groceries"))
    /// ```
    ///
    /// It is a UUID of version 8 (RFC 9562, section 5.8): the first sixteen bytes of the SHA-256 hash of the namespace,
    /// a zero byte and the name, in UTF-8. Anyone who knows the namespace and the name can compute it.
    ///
    /// A list's identity is unique on the whole server. If two accounts derive the same one, the server rejects the
    /// second list as `forbidden`. For this reason, add a text that only this person has to the name of a list:
    /// `ListID(stable: "\(mine)/\(old.key)", in: "com.example.groceries")`. The id of the account is not known before the
    /// first round, so an import that has to work offline makes a random text, and stores it beside the old data. An item's
    /// identity has to be unique only in its list.
    ///
    /// - Parameters:
    ///   - name: The app's own name for the record.
    ///   - namespace: Separates these names from others: one for each app, or for each table.
    public init(stable name: String, in namespace: String) {
        let bytes = Array(namespace.utf8) + [0] + Array(name.utf8)
        let digits = SHA256(bytes[...]).hex
        let high = UInt64(digits.prefix(16), radix: 16) ?? 0
        let low = UInt64(digits.dropFirst(16).prefix(16), radix: 16) ?? 0
        self.init(
            UUID(high: high & ~0xF000 | 0x8000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000))
    }
}
