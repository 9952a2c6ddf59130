/// A limited amount that is divided among many owners, so that no owner can hold all of it.
///
/// Each owner may always take a small part, the ``base``, if anything is free. Two limits apply to what owners hold
/// beyond their base. One owner holds at most as much as was free before its last part, so a single owner gets half of
/// the total (the dynamic threshold of Choudhury and Hahne, 1998). All owners together hold at most half of the total
/// beyond their bases.
///
/// Therefore ``guaranteed`` owners can each take their base, in any order and whatever the owners keep: *n* owners hold
/// at most half of the total and *n* bases, and half of the total has room for ``guaranteed`` bases. If the total is so
/// small that a base is one, the number of owners that are guaranteed one is half of the total.
package struct FairShare<Owner: Hashable & Sendable>: Sendable {
    /// The total amount.
    package let total: Int
    /// The maximum amount of one owner.
    package let each: Int
    /// The amount that each owner may take if anything is free.
    package let base: Int
    /// The amount that all owners hold.
    package private(set) var used = 0
    /// The part of ``used`` that is beyond the owners' bases.
    private var beyond = 0
    private var held: [Owner: Int] = [:]

    /// Shares `total`, of which one owner holds at most `each`.
    package init(total: Int, each: Int = .max) {
        self.total = total
        self.each = each
        base = max(1, (total - total / 2) / Self.guaranteed)
    }

    /// The number of owners that can take their base, regardless of what the others hold.
    package static var guaranteed: Int { 64 }

    /// The amount that `owner` holds.
    package func held(by owner: Owner) -> Int { held[owner] ?? 0 }

    /// The number of owners that hold something.
    package var owners: Int { held.count }

    /// Gives `amount` to `owner` if the limits permit, and returns whether they do.
    package mutating func take(_ amount: Int = 1, by owner: Owner) -> Bool {
        let before = held[owner] ?? 0
        let own = before + amount
        guard own <= each, amount <= total - used else { return false }
        let more = max(0, own - base) - max(0, before - base)
        guard own <= base || (own <= total - used && beyond + more <= total / 2) else { return false }
        used += amount
        beyond += more
        held[owner] = own
        return true
    }

    /// Takes back `amount` from `owner`, who holds it.
    package mutating func giveBack(_ amount: Int = 1, by owner: Owner) {
        let before = held[owner] ?? 0
        let rest = before - amount
        used -= amount
        beyond -= max(0, before - base) - max(0, rest - base)
        held[owner] = rest > 0 ? rest : nil
    }
}
