import Foundation
import KithModel
import KithServer

extension PageRenderingTests {
    /// Every page of the operator, with `text` in each place for text from people.
    static func operatorPages(_ text: String) -> [Page] {
        let frame = OperatorFrame(OperatorName("ada")!, token: "token")  // The name is valid.
        let (ada, ben) = (AccountID(UUID()), AccountID(UUID()))
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let entries = ReferralRow.State.allCases.map { state in
            ReferralEntry(
                id: RecordID(UUID()), programme: text, advocate: ada, friend: ben, event: text, state: state,
                reasons: ReferralReason.allCases, occurred: now, until: now, isByOperator: state == .refused)
        }
        let rows = Funnel.Step.allCases.map { step in
            Funnel.Row(programme: text, day: 20_833, channel: .link, step: step, count: 7)
        }
        let ranking = AdvocateRanking(places: [
            .init(account: ada, name: text, friends: 3, rewards: 2),
            .init(account: ben, name: nil, friends: 1, rewards: 0),
        ])
        let (filter, long) = (
            FunnelFilter(programme: text, channel: .email, days: 20_800...20_833), FunnelFilter(days: 20_000...20_833)
        )
        let empty = FunnelPage(Funnel(rows: []), filter, programmes: [text], ranking: AdvocateRanking(places: []))
        // The form is valid.
        let form = ReferralsForm(FormFields([("action", "refuse-all"), ("programme", text)]))!
        let referrals = ReferralsPage(
            entries, ReferralFilter(programme: text), total: 250, number: 2, programmes: [text],
            names: [ada: text, ben: text])
        return [
            OperatorSignInPage.form(), OperatorSignInPage.withoutOperator,
            OperatorSignInPage.form(name: text, error: .phrase("operator.wrong")),
            FunnelPage(Funnel(rows: rows), long, programmes: [text], ranking: ranking).page(frame),
            empty.page(frame), referrals.page(frame),
            referrals.page(frame, .decided(isRelease: true, 2, unchanged: 1)), referrals.page(frame, .nothing),
            ReferralsPage([], ReferralFilter(.held), total: 0, programmes: [], names: [:]).page(frame, .foreign),
            ReferralsPage.question(form, count: 3, frame),
            DeliveriesPage(
                [], nil, counts: ["queued": 1], suppressed: 2, webhooks: WebhookTables([], [])
            ).page(frame, .sentAgain(3)),
            ServerHealth(problem: text, now: [.init("running", 1)], sinceStart: [.init("errors", 0)]).page(frame),
            ServerHealth(problem: nil, now: [.init("waiting", 1)], sinceStart: [.init("requests", 5)]).page(frame),
        ]
    }
}
