package import HTTPTypes
import KithModel

/// The page of an account: its sessions, the ways to sign in, its rewards, and the ways to take its data along or to delete
/// it.
package struct AccountPage: Sendable {
    /// What a form has done.
    package enum Notice: String, CaseIterable, Sendable {
        /// A session was closed.
        case closed
        /// All other sessions were closed.
        case closedOthers
        /// An email was removed.
        case removedEmail
        /// A number was removed.
        case removedNumber
        /// An identity at an issuer was removed.
        case removedIssuer
        /// A passkey was removed.
        case removedPasskey
        /// A code was used.
        case used
        /// A code was not used, because the account has reached a limit.
        case codeLimit
        /// A code was not used, because the server was busy.
        case notUsed
        /// A form was not of this session: somebody has signed in again since its page was loaded.
        case signedInAgain

        /// Whether something was not done.
        var isProblem: Bool { [.codeLimit, .notUsed, .signedInAgain].contains(self) }
    }

    /// The path of the page below the public address of the server.
    package static let path = "/account"
    /// The newest sessions that the page shows.
    package static let mostSessions = 100

    private let browser: BrowserSession
    private let languages: [String]

    /// The page for a browser whose user reads these languages, most wanted first.
    package init(for browser: BrowserSession, languages: [String]) {
        (self.browser, self.languages) = (browser, languages)
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - overview: What the account has.
    ///   - notice: What a form has done, if one was sent.
    ///   - problem: Why a form has done nothing, if one was sent.
    ///   - status: The status of the answer.
    /// - Returns: The page.
    package func page(
        _ overview: AccountOverview, notice: Notice? = nil, problem: PageValue? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Page {
        let newest = overview.sessions.sorted { $0.created > $1.created }
        let sessions = newest.filter(\.isCurrent) + newest.filter { !$0.isCurrent }
        var values: [String: PageValue] = [
            "sessions": .rows(sessions.map(row)), "hasOthers": .flag(sessions.count > 1),
            "ways": .rows(ways(overview)),
        ]
        values["name"] = overview.name.map(PageValue.text)
        if overview.hasMoreSessions {
            values["moreSessions"] = .phrase("account.more", ["count": String(Self.mostSessions)])
        }
        if let notice { values[notice.isProblem ? "problem" : "notice"] = .phrase("account.\(notice.rawValue)") }
        if let problem { values["problem"] = problem }
        for action in AccountForm.Action.allCases {
            values["\(action.rawValue)Proof"] = .text(browser.proof(action.rawValue).text)
        }
        values.merge(sharing(overview.sharing)) { $1 }
        return Self.own(Page(.account, status, title: .phrase("account.title"), values))
    }

    /// The page on which the account is deleted.
    ///
    /// - Parameters:
    ///   - sharedLists: The names of the lists in which other people are. The user decides what becomes of them.
    ///   - form: The form that was sent, if one was: what is right in it stays.
    ///   - mistake: Why the account was not deleted, if the form was sent.
    ///   - status: The status of the answer.
    /// - Returns: The page.
    package func deletion(
        sharedLists: [String], after form: DeletionForm? = nil, mistake: DeletionForm.Mistake? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Page {
        var values: [String: PageValue] = [
            "lists": .flag(!sharedLists.isEmpty), "names": .rows(sharedLists.map { ["list": .text($0)] }),
            "proof": .text(browser.proof(AccountForm.Action.delete.rawValue).text),
            "editor": .flag(form?.others == .editor), "delete": .flag(form?.others == .delete),
        ]
        switch mistake {
        case .wrongWord: values["wordError"] = .phrase("account.wrongWord")
        case .undecided:
            values["listsError"] = .phrase("account.undecided")
            values["word"] = form.map { .text($0.word) }
        case nil: break
        }
        return Self.own(Page(.deletion, status, title: .phrase("account.deleteTitle"), values))
    }

    /// The page that asks whether all other sessions are to be closed.
    package func askToCloseOthers() -> Page {
        question(.closeOthers, heading: "closeOthers", text: "closeOthersText", button: "closeOthers")
    }

    /// The page that asks whether a way to sign in is to be removed; nil if it is none of the account's.
    package func askToRemove(_ way: AccountForm.Way, of overview: AccountOverview) -> Page? {
        guard let row = ways(overview).first(where: { $0["way"] == PageValue.text(way.text) }) else { return nil }
        var page = question(.removeWay, heading: "removeTitle", text: "removeText", button: "remove")
        page.values.merge(row) { $1 }
        return page
    }

    private func question(_ action: AccountForm.Action, heading: String, text: String, button: String) -> Page {
        let heading = PageValue.phrase("account.\(heading)")
        return Self.own(
            Page(
                .question, title: heading,
                [
                    "heading": heading, "text": .phrase("account.\(text)"), "button": .phrase("account.\(button)"),
                    "action": .text(action.rawValue), "proof": .text(browser.proof(action.rawValue).text),
                ]))
    }

    /// A page that nobody sees any more after signing out.
    private static func own(_ page: Page) -> Page {
        var page = page
        page.scripts = [.back]
        return page
    }

    // MARK: - Rows

    private func row(_ session: SessionEntry) -> [String: PageValue] {
        var row: [String: PageValue] = [
            "session": .text(session.id.description), "isCurrent": .flag(session.isCurrent),
            "since": .dated("account.since", session.created),
            "device": session.device.map(PageValue.text) ?? .phrase("account.unnamed"),
        ]
        row["used"] = session.lastUsed.map { .dated("account.lastUsed", $0) }
        return row
    }

    private func ways(_ overview: AccountOverview) -> [[String: PageValue]] {
        func row(_ way: AccountForm.Way, _ name: PageValue, since: Timestamp) -> [String: PageValue] {
            [
                "way": .text(way.text), "wayName": name, "wayKind": .phrase("account.\(way.kind)"),
                "waySince": .dated("account.since", since),
            ]
        }
        let identities = overview.identities.identities.map { own in
            row(.identity(own.identity), .text(own.identity.shown), since: own.since)
        }
        let issuers = (overview.identities.issuers ?? []).map { own in
            row(.issuer(own.id), .text(own.displayName), since: own.since)
        }
        let passkeys = overview.passkeys.map { passkey in
            row(
                .passkey(passkey.id), passkey.name.map(PageValue.text) ?? .phrase("account.unnamed"),
                since: passkey.created)
        }
        return identities + issuers + passkeys
    }

    // MARK: - Sharing

    private func sharing(_ overview: SharingOverview) -> [String: PageValue] {
        /// The title of a programme, which may be in another language than the page.
        func title(_ name: String, of programme: String?) -> [String: PageValue] {
            guard let title = programme.flatMap({ overview.programmes[$0] })?.title else { return [:] }
            return [
                name: .text(Programme.text(title, in: languages)),
                "titleLanguage": .text(Programme.language(of: title, in: languages) ?? ""),
            ]
        }
        let claims = overview.claims.map { claim in
            var row: [String: PageValue] = ["code": .text(claim.code.text)]
            row["advocate"] = claim.advocateName.map(PageValue.text)
            row.merge(title("claimTitle", of: claim.programme)) { $1 }
            row.merge(Self.state(of: claim.status)) { $1 }
            return row
        }
        let referrals = overview.referrals.map { referral in
            var row: [String: PageValue] = [
                "friend": referral.friendName.map(PageValue.text) ?? .phrase("account.somebody"),
                "joined": .dated("account.joined", referral.joined),
                "referralState": .phrase("account.\(referral.state.rawValue)State"),
                "mark": .text(Self.mark(of: referral.state)),
            ]
            row.merge(title("referralTitle", of: referral.programme)) { $1 }
            return row
        }
        let rewards = overview.rewards.map { reward in
            let shown = shownTitle(of: reward, in: overview.programmes[reward.programme])
            var row: [String: PageValue] = [
                "reward": .text(shown.text), "granted": .dated("account.granted", reward.granted),
                "side": .phrase("account.\(reward.side.rawValue)Side"),
            ]
            row["rewardLanguage"] = shown.language.map(PageValue.text)
            row.merge(title("rewardTitle", of: reward.programme)) { $1 }
            return row
        }
        var values: [String: PageValue] = [
            "claims": .rows(claims), "referrals": .rows(referrals), "rewards": .rows(rewards),
            "hasClaims": .flag(!claims.isEmpty), "hasReferrals": .flag(!referrals.isEmpty),
            "hasRewards": .flag(!rewards.isEmpty),
            "hasSharing": .flag(!overview.programmes.isEmpty || !rewards.isEmpty || !referrals.isEmpty),
        ]
        for part in overview.cut {
            values["more\(part.rawValue)"] = .phrase("account.more", ["count": String(SharingOverview.most)])
        }
        return values
    }

    /// What a reward is called, and in which language.
    ///
    /// The reward has its title in the language of the profile when it was granted. While the programme gives the same reward
    /// with that title, the user reads the title in the language of the page; otherwise its language is not known.
    private func shownTitle(of reward: Reward, in programme: Programme?) -> (text: String, language: String?) {
        let offer = reward.side == .advocate ? programme?.advocateReward : programme?.friendReward
        guard let offer, let title = reward.title, offer.name == reward.name, offer.title.values.contains(title) else {
            return (reward.title ?? reward.name, nil)
        }
        return (Programme.text(offer.title, in: languages), Programme.language(of: offer.title, in: languages))
    }

    /// What was decided about a code, in words, and the class of its badge.
    private static func state(of status: Claim.Status) -> [String: PageValue] {
        switch status {
        case .open: ["claimState": .phrase("account.openCode"), "mark": .text("held")]
        case .bound: ["claimState": .phrase("account.boundCode"), "mark": .text("good")]
        case .refused(let reason): ["claimState": .phrase("account.\(key(of: reason))"), "mark": .text("bad")]
        }
    }

    private static func key(of reason: Claim.Refusal) -> String {
        let known: [Claim.Refusal] = [.unknownCode, .yourOwn, .alreadyBound, .tooLate, .paused]
        return known.contains(reason) ? reason.rawValue : "refusedCode"
    }

    private static func mark(of state: Referral.State) -> String {
        switch state {
        case .joined, .granted: "good"
        case .held: "held"
        case .refused: "bad"
        }
    }
}
