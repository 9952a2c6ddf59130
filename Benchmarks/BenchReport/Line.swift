/// One line of the table: a measurement of Kith, beside a lower bound or a peer that was measured in the same run.
package struct Line: Codable, Hashable, Sendable {
    /// What Kith is compared with.
    package struct Reference: Codable, Hashable, Sendable {
        /// Such as `SQLite in C` or `Kinto`.
        package let name: String
        package let amount: Amount

        package init(_ name: String, _ amount: Amount) {
            self.name = name
            self.amount = amount
        }
    }

    /// The name of the row that the line belongs to, which `./bench ROW` takes.
    package let row: String
    package let what: String
    package let kith: Amount
    package let reference: Reference?
    package let goal: Goal?

    package init(row: String, what: String, kith: Amount, reference: Reference? = nil, goal: Goal? = nil) {
        self.row = row
        self.what = what
        self.kith = kith
        self.reference = reference
        self.goal = goal
    }

    /// Kith's amount divided by the reference's; nil without a reference.
    package var ratio: Double? {
        guard let reference, reference.amount.value > 0 else { return nil }
        return kith.value / reference.amount.value
    }

    /// How far the goal is exceeded: 1 if it is just met, 0.5 if Kith takes twice the time that it may take; nil without a
    /// goal.
    package var score: Double? {
        switch goal {
        case .atMostTimes(let most): ratio.map { most / $0 }
        case .atLeastTimes(let least): ratio.map { $0 / least }
        case .atMost(let most): kith.value > 0 ? most.value / kith.value : .greatestFiniteMagnitude
        case .atLeast(let least): kith.value / least.value
        case nil: nil
        }
    }

    package var isMet: Bool? { score.map { $0 >= 1 } }

    /// The cells of the table: what, Kith, reference, ratio, wanted, met.
    var cells: [String] {
        [
            what, kith.description, reference.map { "\($0.name): \($0.amount)" } ?? "–",
            ratio.map { Amount.short($0) } ?? "–", goal?.description ?? "–",
            isMet.map { $0 ? "met" : "**missed**" } ?? "–",
        ]
    }

    static let header = ["what", "Kith", "floor or peer", "ratio", "wanted", "met"]
}
