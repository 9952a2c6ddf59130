import Foundation
import KithModel

extension SQLiteDatabase {
    /// The epoch that answers carry.
    public func epoch() throws -> String {
        try readNow { transaction in try Meta.epoch(in: transaction) }
    }

    /// Announces a new epoch: every device rereads everything, and sends again what this database has forgotten.
    ///
    /// For operators who have restored a database by hand.
    @discardableResult public func newEpoch() throws -> String {
        let epoch = Data(random().prefix(16)).base64URL
        try writeNow { transaction in try Meta.set(Meta.epochName, to: epoch, in: transaction) }
        return epoch
    }

    /// Gives the file a new incarnation, so that a copy of it made before now is known as older should it come back.
    ///
    /// Done at each opening; a long-lived server does it every hour or so.
    public func renewIncarnation() throws {
        guard let incarnation else { return }
        let next = Data(random().prefix(16)).base64URL
        let current = try readNow { transaction in try Meta.value(Meta.incarnationName, in: transaction) }
        // Both are named while the database changes, so that a crash in between is not taken for a restored file.
        try incarnation.write([current, next].compactMap(\.self))
        try writeNow { transaction in try Meta.set(Meta.incarnationName, to: next, in: transaction) }
        try incarnation.write([next])
    }

    func settleEpoch() throws {
        let (epoch, current) = try readNow { transaction in
            (
                try Meta.value(Meta.epochName, in: transaction),
                try Meta.value(Meta.incarnationName, in: transaction)
            )
        }
        let isAsLeft = incarnation.map { file in current.map { file.read().contains($0) } ?? false } ?? true
        if epoch == nil || !isAsLeft { try newEpoch() }
        try renewIncarnation()
    }
}
