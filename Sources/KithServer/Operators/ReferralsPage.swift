package import KithModel

/// The operator's page with the decisions about rewards: what is held, granted and refused, and why.
package struct ReferralsPage: Sendable {
    /// The number of referrals on a page.
    package static let size = 100
    /// The most pages.
    package static let pages = 1_000

    /// What the page shows besides the referrals.
    package struct Notice: Hashable, Sendable {
        /// The numbers that a decision has changed and left unchanged, as words.
        let text: PageValue
        let isError: Bool

        /// What a decision has done.
        package static func decided(isRelease: Bool, _ count: Int, unchanged: Int) -> Notice {
            Notice(
                text: .phrase(
                    isRelease ? "referrals.released" : "referrals.refusedNow",
                    ["count": String(count), "unchanged": String(unchanged)]),
                isError: false)
        }

        /// Nothing was chosen.
        package static let nothing = Notice(text: .phrase("referrals.nothing"), isError: true)
        /// Some referrals of the page cannot be read, and are left out.
        package static func damaged(_ count: Int) -> Notice {
            Notice(text: .phrase("referrals.damaged", ["count": String(count)]), isError: true)
        }

        /// The form is not of the session.
        package static let foreign = Notice(text: .phrase("operator.foreign"), isError: true)
    }

    private let entries: [ReferralEntry]
    private let filter: ReferralFilter
    private let total: Int
    private let number: Int
    private let programmes: [String]
    private let names: [AccountID: String]

    /// The page of a listing.
    ///
    /// - Parameters:
    ///   - entries: The referrals, newest first.
    ///   - filter: Which ones they are.
    ///   - total: How many there are in all.
    ///   - number: The number of the page, from 1.
    ///   - programmes: The names of the programmes.
    ///   - names: The names of people.
    package init(
        _ entries: [ReferralEntry], _ filter: ReferralFilter, total: Int, number: Int = 1, programmes: [String],
        names: [AccountID: String]
    ) {
        (self.entries, self.filter, self.total, self.number) = (entries, filter, total, number)
        (self.programmes, self.names) = (programmes, names)
    }

    /// The page.
    package func page(_ frame: OperatorFrame, _ notice: Notice? = nil) -> Page {
        let states: [(value: String, label: PageValue)] = ReferralRow.State.allCases.map {
            ($0.rawValue, .phrase("referrals.\($0.rawValue)"))
        }
        let reasons: [(value: String, label: PageValue)] = ReferralReason.allCases.map {
            ($0.rawValue, .phrase("reason.\($0.rawValue)"))
        }
        let own: [String: PageValue] = [
            "states": SelectOptions.rows(states, selected: filter.state?.rawValue),
            "programmes": SelectOptions.names(programmes, selected: filter.programme),
            "reasons": SelectOptions.rows(reasons, selected: filter.reason?.rawValue),
            "proof": .text(frame.decisionProof.text), "isEmpty": .flag(entries.isEmpty),
            "total": .phrase("referrals.count", ["count": String(total)]),
            "canDecide": .flag(entries.contains { $0.state != .granted }),
            "canRefuse": .flag(entries.contains { $0.state == .held }),
            "hasHeld": .flag(filter.state != .granted && filter.state != .refused),
            "referrals": .rows(entries.map(row)),
        ]
        var values = filter.values.merging(own) { $1 }
        if let notice { values[notice.isError ? "error" : "notice"] = notice.text }
        if number > 1 { values["newer"] = .text(filter.query(("page", String(number - 1)))) }
        if number * Self.size < total, number < Self.pages {
            values["older"] = .text(filter.query(("page", String(number + 1))))
        }
        values["hasPages"] = .flag(values["newer"] != nil || values["older"] != nil)
        return frame.page(.referrals, .referrals, values)
    }

    private func row(_ entry: ReferralEntry) -> [String: PageValue] {
        var values: [String: PageValue] = [
            "id": .text(entry.id.description), "isOpen": .flag(entry.state != .granted),
            "when": .moment(entry.occurred), "programme": .text(entry.programme),
            "advocate": .text(names[entry.advocate] ?? entry.advocate.description),
            "friend": .text(names[entry.friend] ?? entry.friend.description), "event": .text(entry.event),
            "channel": .text(entry.channel.rawValue), "badge": .text(badge(entry.state)),
            "stateText": .phrase("referrals.\(entry.state.rawValue)"), "byOperator": .flag(entry.isByOperator),
            "why": .rows(entry.reasons.map { ["sentence": .phrase("reason.\($0.rawValue)")] }),
        ]
        if entry.state == .held { values["until"] = entry.until.map { .dated("referrals.heldUntil", $0) } }
        return values
    }

    private func badge(_ state: ReferralRow.State) -> String {
        switch state {
        case .held: "held"
        case .granted: "good"
        case .refused: "bad"
        }
    }

    /// The page that asks whether the operator means all that match.
    ///
    /// - Parameters:
    ///   - form: What the operator has pressed.
    ///   - ids: The referrals that are decided if the operator means it. The page has them, so that one which is held later
    ///     is not among them.
    ///   - count: How many match.
    ///   - frame: The frame of the page.
    /// - Returns: The page.
    package static func question(
        _ form: ReferralsForm, about ids: [ReferralRow.ID], of count: Int, _ frame: OperatorFrame
    ) -> Page {
        let isRelease = form.action.isRelease
        let values: [String: PageValue] = [
            "heading": .phrase(isRelease ? "referrals.sureRelease" : "referrals.sureRefuse"),
            "text": .phrase("referrals.sureText", ["count": String(count), "most": String(ReferralsForm.most)]),
            "button": .phrase(isRelease ? "referrals.sureReleaseButton" : "referrals.sureRefuseButton"),
            "isDanger": .flag(!isRelease), "action": .text(form.action.rawValue),
            "proof": .text(frame.decisionProof.text), "query": .text(form.filter.query()),
            "ids": .rows(ids.map { ["id": .text($0.description)] }),
        ]
        return frame.page(.referrals, .decision, form.filter.values.merging(values) { $1 })
    }
}
