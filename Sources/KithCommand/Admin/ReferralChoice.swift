import ArgumentParser
import KithModel
import KithServer

/// The referrals that the operator decides about: single ones by their ids, or all that are held.
struct ReferralChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("The ids of referrals, or the starts of them.", valueName: "id"))
    var ids: [String] = []
    @Flag(help: "All that are held.") var all = false
    @Option(help: ArgumentHelp("With --all: only those of this programme.", valueName: "name")) var programme: String?
    @Option(
        help: ArgumentHelp(
            "With --all: only those with this reason, such as velocity.", valueName: "reason"),
        transform: ReferralReason.argument)
    var reason: ReferralReason?
    @Flag(help: "With --all: yes, all of them.") var yes = false

    /// The largest number of referrals that a command reads.
    private static let most = 100_000

    func validate() throws {
        if ids.isEmpty != all { throw ValidationError("Name the ids of referrals, or use --all.") }
        if !all && (programme != nil || reason != nil) {
            throw ValidationError("--programme and --reason choose among --all.")
        }
    }

    /// The chosen ids. `participle` says what becomes of them: “released”.
    ///
    /// - Throws: ``Failure`` if an id fits none or several, or if --all was not confirmed; ``ServerError`` if there is
    ///   no such programme.
    func resolve(_ admin: AdminContext, toBe participle: String) async throws -> [ReferralRow.ID] {
        try await admin.requireProgramme(programme)
        guard all else {
            let whole = ids.compactMap { ReferralRow.ID($0.lowercased()) }
            if whole.count == ids.count { return whole }
            let known = try await admin.referrals.list(limit: Self.most)
            let names = known.map { Nameable(id: $0.id, name: nil) }
            return try ids.map { id in
                try Reference(id).resolve(among: names, kind: "referral", listedBy: "kith admin referrals").id
            }
        }
        let held = try await admin.referrals.list(.held, programme: programme, limit: Self.most)
        let chosen = held.filter { entry in reason.map { entry.reasons.contains($0) } ?? true }
        if yes || chosen.isEmpty { return chosen.map(\.id) }
        throw Failure(
            .usage, "unconfirmed",
            "Nothing was changed. If \(chosen.count.things("referral")) should be \(participle), add --yes.")
    }
}

extension ReferralReason {
    /// Reads a reason from the command line.
    static func argument(_ text: String) throws -> ReferralReason {
        if let reason = ReferralReason(rawValue: text) { return reason }
        let reasons = allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("“\(text)” is no reason. The reasons are \(reasons).")
    }
}
