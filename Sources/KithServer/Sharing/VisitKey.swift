import Foundation
import KithModel

/// The secret key of the hashes of a day's visitors.
///
/// It is stored with its day, so that a restart of the server counts nobody twice. Once it is replaced or deleted, nobody
/// can tell whether a hash of that day was somebody's.
enum VisitKey {
    private static let name = "visitKey"

    /// The key of a day. It replaces the key of another day. Transactions that store visits run one after another.
    static func findOrCreate(for day: Int64, _ random: RandomBytes, in transaction: any Transaction) throws -> Data {
        try transaction.lockName(Data(name.utf8))
        if let stored = try stored(in: transaction), stored.day == day { return stored.key }
        let key = random.bytes()
        try Meta.set(name, to: "\(day) \(key.base64URL)", in: transaction)
        return key
    }

    /// Deletes the key of a past day, unless a visit replaces it meanwhile.
    static func forget(before day: Int64, in transaction: any Transaction) throws {
        guard let stored = try stored(in: transaction), stored.day < day else { return }
        try transaction.execute(
            "DELETE FROM meta WHERE name = ? AND value = ?", [.text(name), .text(stored.text)])
    }

    private static func stored(in transaction: any Transaction) throws -> (text: String, day: Int64, key: Data)? {
        guard let text = try Meta.value(name, in: transaction) else { return nil }
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 2, let day = Int64(parts[0]), let key = Data(base64URL: parts[1]) else { return nil }
        return (text, day, key)
    }
}
