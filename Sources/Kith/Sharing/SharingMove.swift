import Foundation
import KithModel

/// Moves unsent shareables and shares from one store to another.
///
/// The server remembers for ever which account has a code. So a shareable moves only if it was never sent, and its code
/// with it: a link that the user has already shown to somebody then works for the account that continues. A shareable
/// that may have been sent stays with the account that has its code.
///
/// A share moves with its shareable. An email that was never sent moves in any case, because the server adds the link
/// when it sends it: the link of the same shareable in the other store, which is made if there is none.
struct SharingMove {
    private let move: UnsentMove
    /// The new identities of the shareables that have moved.
    private var moved: [ShareableID: ShareableID] = [:]
    /// The shareables of the other store whose links emails get, by those that stay.
    private var substitutes: [ShareableID: ShareableID] = [:]

    init(_ move: UnsentMove) { self.move = move }

    private var dependencies: Dependencies { move.transaction.dependencies }

    mutating func moveShareables() throws {
        for (key, record, unsent) in try move.unconfirmed(in: .shareables) where !move.wasSent(key) {
            guard let shareable = Shareable(key, record) else { continue }
            let known = try counterpart(of: shareable)
            let isFree = try known == nil && move.newRecord(key) == nil
            let id = isFree ? shareable.id : makeID(after: known?.id)
            let (made, chosen) = parts(of: record.fields, madeBy: unsent.first)
            try move.write(made, to: Shareable.recordKey(id))
            if !chosen.isEmpty { try move.write(chosen, to: Shareable.recordKey(id)) }
            try move.withdraw(unsent, of: key)
            moved[shareable.id] = id
        }
    }

    /// The fields of a shareable, and those that the user has chosen later and that the server may refuse. They follow apart,
    /// so that a code of somebody else does not refuse the shareable, and with it its shares.
    private func parts(of fields: Fields, madeBy first: StoredMutation?) -> (made: Fields, chosen: Fields) {
        guard case .edit(let set, _) = first?.change else { return (fields, [:]) }
        var (made, chosen) = (fields, Fields())
        for name in move.transaction.collections.folding(of: .shareables).contested where set[name] != fields[name] {
            made[name] = set[name]
            chosen[name] = fields[name] ?? FieldValue.null
        }
        return (made, chosen)
    }

    mutating func moveShares() throws {
        for (key, record, unsent) in try move.unconfirmed(in: .shares) where !move.wasSent(key) {
            guard try move.newRecord(key) == nil, let share = Share(key, record),
                let shareable = try newShareable(of: share)
            else { continue }
            var fields = record.fields
            fields["shareable"] = .text(shareable.description)
            try move.write(fields, to: key)
            try move.withdraw(unsent, of: key)
        }
    }

    /// The shareable of a share in the other store; nil if the share stays.
    private mutating func newShareable(of share: Share) throws -> ShareableID? {
        if let id = moved[share.shareable] { return id }
        guard share.channel == .email else { return nil }
        if let id = substitutes[share.shareable] { return id }
        guard let old = try Shareable.fetch(share.shareable, in: move.oldStore) else { return nil }
        let id = try counterpart(of: old)?.id ?? copy(old)
        substitutes[old.id] = id
        return id
    }

    /// What the other store has in the same programme under the same key.
    private func counterpart(of shareable: Shareable) throws -> Shareable? {
        try Shareable.fetch(of: shareable.programme, key: shareable.key, in: move.newStore)
    }

    /// Makes the same shareable in the other store, with a code of its own.
    private func copy(_ shareable: Shareable) throws -> ShareableID {
        let id = makeID(after: nil)
        var fields = try move.oldRecord(shareable.recordKey)?.copied(Shareable.schema) ?? [:]
        var random = dependencies.random
        fields["code"] = .text(ShareCode(random: random.next()).text)
        try move.write(fields, to: Shareable.recordKey(id))
        return id
    }

    /// An identity that sorts after another one, even if this device's clock is behind. Of several shareables the first is
    /// shown, so what the other store shows does not change.
    private func makeID(after other: ShareableID?) -> ShareableID {
        let now = dependencies.now()
        let next = other.map { Timestamp(milliseconds: Int64($0.uuid.halves.high >> 16) + 1) } ?? now
        var random = dependencies.random
        return ShareableID(.version7(time: max(now, next), using: &random))
    }
}
