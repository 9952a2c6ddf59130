import KithModel

/// The referrals that an operator wants to see: the fields of a form.
package struct ReferralFilter: Hashable, Sendable {
    /// The state; nil for all.
    package var state: ReferralRow.State?
    /// The programme; nil for all.
    package var programme: String?
    /// The reason; nil for all.
    package var reason: ReferralReason?

    package init(
        _ state: ReferralRow.State? = nil, programme: String? = nil, reason: ReferralReason? = nil
    ) {
        (self.state, self.programme, self.reason) = (state, programme, reason)
    }

    /// Reads the fields `state`, `programme` and `reason`. Without `state`, the held ones are wanted; an empty field or one
    /// that cannot be read stands for all.
    package init(_ field: (String) -> String?) {
        state = ReferralRow.State(rawValue: field("state") ?? ReferralRow.State.held.rawValue)
        programme = field("programme").flatMap { $0.isEmpty || $0.utf8.count > 100 ? nil : $0 }
        reason = field("reason").flatMap { ReferralReason(rawValue: $0) }
    }

    /// The fields as the query of an address, and further ones.
    package func query(_ more: (name: String, value: String)...) -> String {
        var fields: [(name: String, value: String)] = [("state", state?.rawValue ?? "")]
        if let programme { fields.append(("programme", programme)) }
        if let reason { fields.append(("reason", reason.rawValue)) }
        return String(decoding: FormFields(fields + more).encoded, as: UTF8.self)
    }

    /// The values of the fields in a form.
    var values: [String: PageValue] {
        [
            "state": .text(state?.rawValue ?? ""), "programme": .text(programme ?? ""),
            "reason": .text(reason?.rawValue ?? ""),
        ]
    }
}
