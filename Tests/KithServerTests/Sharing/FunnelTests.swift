import KithModel
import KithServer
import Testing

@Suite("The funnel") struct FunnelTests {
    private let funnel = Funnel(rows: [
        .init(programme: "friends", day: 20_834, channel: .link, step: .visited, count: 7),
        .init(programme: "friends", day: 20_834, channel: .email, step: .shared, count: 3),
        .init(programme: "friends", day: 20_833, channel: .link, step: .joined, count: 2),
        .init(programme: "friends", day: 20_834, channel: .link, step: .joined, count: 1),
    ])

    @Test("Numbers are summed by step, day and channel")
    func totals() {
        #expect(Funnel.Step.allCases.map { funnel.total($0) } == [3, 7, 3, 0])
        #expect(funnel.total(.joined, day: 20_834) == 1 && funnel.total(.joined, channel: .email) == 0)
        #expect(funnel.days == [20_833, 20_834] && funnel.channels == [.email, .link])
    }

    @Test("The table has a line for each day and channel")
    func csv() {
        #expect(
            funnel.csv == """
                programme,day,channel,shared,visited,joined,rewarded\r
                friends,2027-01-15,link,0,0,2,0\r
                friends,2027-01-16,email,3,0,0,0\r
                friends,2027-01-16,link,0,7,1,0\r

                """)
    }

    @Test("A text of a programme is in the first wanted language that there is")
    func languages() {
        let texts = ["en": "tea", "de": "Tee", "fr": "thé"]
        #expect(Programme.text(texts, in: ["de-AT", "en"]) == "Tee")
        #expect(Programme.text(texts, in: ["it", "FR_ca"]) == "thé")
        #expect(Programme.text(texts, in: ["it"]) == "tea")
        #expect(Programme.text(["fr": "thé", "es": "té"], in: []) == "té")
        #expect(Programme.text([:], in: ["en"]).isEmpty)
    }
}
