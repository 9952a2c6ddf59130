import KithModel

/// The form with which an operator decides about referrals.
package struct ReferralsForm: Hashable, Sendable {
    /// What the operator has pressed.
    package enum Action: String, Sendable {
        case release, refuse
        case releaseAll = "release-all"
        case refuseAll = "refuse-all"

        /// Whether it is about all held referrals that the filter finds.
        package var isForAll: Bool { self == .releaseAll || self == .refuseAll }

        /// Whether it grants rewards.
        package var isRelease: Bool { self == .release || self == .releaseAll }

        /// The state that it wants.
        package var state: ReferralRow.State { isRelease ? .granted : .refused }
    }

    /// The largest form, in bytes: it names each referral that it decides about.
    package static let limit = 32 << 10
    /// The most referrals that one form decides about.
    package static let most = 500

    package let action: Action
    /// The chosen referrals, or those of the question that the operator has confirmed.
    package let ids: [ReferralRow.ID]
    package let filter: ReferralFilter
    /// Whether the operator has confirmed that it is about all.
    package let isSure: Bool

    /// Reads a form; nil if a field is missing or invalid.
    package init?(_ form: FormFields) {
        let ids = form.fields.filter { $0.name == "id" }.map { ReferralRow.ID($0.value) }
        guard let action = form["action"].flatMap({ Action(rawValue: $0) }), !ids.contains(nil), ids.count <= Self.most
        else { return nil }
        self.action = action
        self.ids = ids.compactMap(\.self)
        filter = ReferralFilter { form[$0] }
        isSure = form["sure"] == "yes"
    }
}
