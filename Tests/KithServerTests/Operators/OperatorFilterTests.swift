import Foundation
import KithModel
import KithServer
import Testing

@Suite("The filters of the operator’s pages") struct OperatorFilterTests {
    /// 2027-01-15, a day that is the 20,833rd since 1970.
    private let noon = Timestamp(milliseconds: 1_800_000_000_000)

    private func funnel(_ fields: [String: String]) -> FunnelFilter { FunnelFilter({ fields[$0] }, at: noon) }

    @Test("Without fields, the last 30 days are shown, of everything") func usual() {
        let filter = funnel([:])
        #expect(filter.from == "2026-12-17" && filter.through == "2027-01-15" && filter.days.count == 30)
        #expect(filter.programme == nil && filter.channel == nil)
    }

    @Test("A filter is read back from its own query") func query() throws {
        let filter = funnel([
            "programme": "tea & friends", "channel": "email", "from": "2026-11-20", "through": "2026-11-23",
        ])
        #expect(filter.query == "programme=tea%20%26%20friends&channel=email&from=2026-11-20&through=2026-11-23")
        let form = try #require(FormFields(Data(filter.query.utf8)))
        #expect(FunnelFilter({ form[$0] }, at: noon) == filter)
    }

    @Test(
        "A day that is none is not used",
        arguments: ["", "2027-02-30", "2027-1-5", "yesterday", "1969-12-3", "2027-01-15T00:00:00Z", "２０２７-01-15"])
    func noDay(text: String) { #expect(funnel(["from": text, "through": text]) == funnel([:])) }

    @Test("Days in the wrong order are exchanged, and too many are the last ten years") func order() {
        let reversed = funnel(["from": "2027-01-10", "through": "2027-01-01"])
        #expect(reversed.from == "2027-01-01" && reversed.through == "2027-01-10")
        #expect(funnel(["from": "1970-01-01"]).days.count == 3_660)
    }

    @Test("Trap: Days before 1970 and after today – the numbers that there are are shown") func beyond() {
        let all = funnel(["from": "0001-01-01", "through": "9999-12-31"])
        #expect(all == funnel(["from": "1970-01-01"]) && all.through == "2027-01-15" && all.days.count == 3_660)
        #expect(funnel(["through": "9999-12-31"]) == funnel([:]))
        #expect(funnel(["from": "2027-02-01", "through": "2027-03-01"]).days == 20_833...20_833)
        #expect(funnel(["from": "1969-12-30", "through": "1969-12-31"]).days == 0...0)
    }

    @Test("Held referrals are shown unless another state is wanted, and an empty field stands for all")
    func referrals() {
        func filter(_ fields: [String: String]) -> ReferralFilter { ReferralFilter { fields[$0] } }
        #expect(filter([:]) == ReferralFilter(.held) && filter(["state": ""]) == ReferralFilter())
        #expect(filter(["state": "x", "reason": "x", "programme": ""]) == ReferralFilter())
        let wanted = ReferralFilter(.refused, programme: "friends", reason: .tooSoon)
        #expect(wanted.query(("page", "2")) == "state=refused&programme=friends&reason=too-soon&page=2")
        #expect(filter(["state": "refused", "programme": "friends", "reason": "too-soon"]) == wanted)
    }

    @Test("A form needs an action and whole ids") func form() throws {
        let id = ReferralRow.ID(UUID())
        func read(_ fields: (String, String)...) -> ReferralsForm? {
            ReferralsForm(FormFields(fields.map { (name: $0.0, value: $0.1) }))
        }
        let form = try #require(read(("action", "refuse"), ("id", id.description), ("state", "")))
        #expect(form.ids == [id] && form.filter == ReferralFilter() && !form.isSure && !form.action.isForAll)
        #expect(read(("action", "release-all"), ("sure", "yes"))?.isSure == true)
        for fields in [("action", "grant"), ("id", id.description)] { #expect(read(fields) == nil) }
        #expect(read(("action", "release"), ("id", "ffff")) == nil)
    }

    @Test("The largest form names as many referrals as one decides about, and no more") func largestForm() {
        func form(_ count: Int) -> FormFields {
            let filter = [("reason", ReferralReason.allCases.map(\.rawValue).max { $0.count < $1.count } ?? "")]
            let more = [("state", "held"), ("programme", String(repeating: "ä", count: 50)), ("sure", "yes")]
            let ids = (0..<count).map { _ in ("id", ReferralRow.ID(UUID()).description) }
            let proof = [("action", "release-all"), ("proof", String(repeating: "A", count: 43))]
            return FormFields((proof + filter + more + ids).map { (name: $0.0, value: $0.1) })
        }
        #expect(ReferralsForm(form(ReferralsForm.most))?.ids.count == ReferralsForm.most)
        #expect(form(ReferralsForm.most).encoded.count <= ReferralsForm.limit)
        #expect(ReferralsForm(form(ReferralsForm.most + 1)) == nil)
    }

    @Test("Every reason, kind of message and failure has a text") func texts() {
        let texts = PageTexts.of(.english).sections
        #expect(Set(texts["reason"]?.keys.map(\.self) ?? []) == Set(ReferralReason.allCases.map(\.rawValue)))
        #expect(Set(texts["kind"]?.keys.map(\.self) ?? []) == Set(MessageKind.allCases.map(\.rawValue)))
        let failures: [MessageFailure.Reason] = [
            .optedOut, .recipientLimit, .senderLimit, .budget, .badRecipient, .countryNotAllowed, .notMobile,
            .prefixLimit, .prefixPaused, .refused, .expired, .undelivered, .withdrawn,
        ]
        #expect(Set(texts["failure"]?.keys.map(\.self) ?? []) == Set(failures.map(\.rawValue)))
    }
}
