/// What every page of an operator who has signed in has: the tabs, the name, and the button to sign out.
package struct OperatorFrame: Hashable, Sendable {
    /// A page that has a tab.
    package enum Tab: String, CaseIterable, Sendable {
        case funnel, referrals, deliveries, health

        /// The path below the server's public address.
        package var path: String { self == .funnel ? "/admin" : "/admin/\(rawValue)" }
    }

    /// The operator.
    package let name: OperatorName
    private let token: String

    /// The frame for the session of a token.
    package init(_ name: OperatorName, token: String) { (self.name, self.token) = (name, token) }

    /// The proof for the button to sign out.
    package var signOutProof: FormProof { FormProof("operator: sign out", of: token) }

    /// The proof for decisions about referrals.
    package var decisionProof: FormProof { FormProof("operator: decide", of: token) }

    /// The proof for the forms about webhooks.
    package var deliveryProof: FormProof { FormProof("operator: deliver", of: token) }

    /// A page with the values of the frame.
    func page(_ tab: Tab, _ template: Page.Template, _ values: [String: PageValue]) -> Page {
        let tabs = Tab.allCases.map { one -> [String: PageValue] in
            [
                "path": .text(one.path), "label": .phrase("\(one.rawValue).title"), "isCurrent": .flag(one == tab),
            ]
        }
        let frame: [String: PageValue] = [
            "tabs": .rows(tabs), "operator": .text(name.text), "signOutProof": .text(signOutProof.text),
        ]
        var page = Page(template, title: .phrase("\(tab.rawValue).title"), frame.merging(values) { $1 })
        page.scripts = [.back]
        return page
    }
}
