import KithModel
import KithServer
import Testing

@Suite("Verdicts about referrals") struct ReferralGuardsTests {
    private let joined = Timestamp(milliseconds: 1_000 * 86_400_000)

    private func facts(_ advocate: String = "ada@example.com", _ friend: String = "ben@example.org") -> ReferralFacts {
        ReferralFacts(
            advocate: [.email(EmailAddress(advocate)!)], friend: [.email(EmailAddress(friend)!)], joined: joined)
    }

    private func guards(_ change: (inout ReferralGuards) -> Void = { _ in }) -> ReferralGuards {
        var guards = ReferralGuards()
        change(&guards)
        return guards
    }

    @Test("A plain referral is granted, without a reason") func granted() {
        #expect(guards().verdict(facts()) == .granted([]))
    }

    @Test(
        "Trap: self-referral – tags and dots hide nobody",
        arguments: [
            ("ada@example.com", "ada+2@example.com"), ("ada@example.com", "ada@example.com"),
            ("ada.lovelace@gmail.com", "adalovelace+tea@googlemail.com"),
        ])
    func selfReferral(advocate: String, friend: String) {
        #expect(guards().verdict(facts(advocate, friend)) == .refused([.selfReferral]))
        #expect(guards { $0.selfReferral = false }.verdict(facts(advocate, friend)) == .granted([]))
    }

    @Test("People of one domain are different people") func sameDomain() {
        #expect(guards().verdict(facts("ada@example.com", "ben@example.com")) == .granted([]))
        #expect(guards().verdict(facts("+@example.com", "++@example.com")) == .granted([]))
    }

    @Test("Each doubt holds the referral, and names itself") func doubts() {
        var some = facts("ada@example.com", "x@mail.example.net")
        some.referralsInADay = 20
        (some.otherAdvocates, some.joinsInBulk) = (5, 100)
        some.shared = joined - .seconds(9)
        let guards = guards { $0.disposableDomains = ["mail.example.net"] }
        #expect(
            guards.verdict(some)
                == .held(
                    [.disposable, .velocity, .recipientVelocity, .bulk, .tooSoon], until: joined + .days(30),
                    isDoubtful: true))
        some.shared = joined - .seconds(10)
        (some.referralsInADay, some.otherAdvocates, some.joinsInBulk) = (19, 4, 99)
        #expect(guards.verdict(some).reasons == [.disposable])
        #expect(guards.verdict(facts()) == .granted([]))
    }

    @Test(
        "Trap: a disposable mailbox at a subdomain – a domain stands for those below it, and for no other",
        arguments: [
            ("z@mailinator.com", true), ("z@sub.mailinator.com", true), ("z@a.b.mailinator.com", true),
            ("z@notmailinator.com", false), ("z@mailinator.com.example", false), ("mailinator.com@example.com", false),
            ("z@example.net", false), ("z@mail.example.net", true),
        ])
    func subdomains(friend: String, isDisposable: Bool) {
        let guards = guards { $0.disposableDomains = ["mailinator.com", "mail.example.net"] }
        #expect(guards.verdict(facts("ada@example.com", friend)).reasons == (isDisposable ? [.disposable] : []))
    }

    @Test("A share that a device has only noted holds the rewards, unless the programme lets it count")
    func noted() {
        var some = facts()
        some.isNoted = true
        let held = Verdict.held([.noted], until: joined + .days(30), isDoubtful: true)
        #expect(guards().verdict(some) == held)
        #expect(guards { $0.notedShares = .count }.verdict(some) == .granted([]))
        // A friend who was bound before the rule was set.
        #expect(guards { $0.notedShares = .ignore }.verdict(some) == held)
    }

    @Test("Trap: velocity – per advocate, per recipient and in bulk, each can be switched off and has another limit")
    func velocity() {
        var some = facts()
        (some.referralsInADay, some.otherAdvocates, some.joinsInBulk) = (2, 3, 4)
        #expect(guards().verdict(some) == .granted([]))
        let strict = guards { ($0.referralsADay, $0.advocatesOfRecipient, $0.joinsInBulk) = (2, 3, 4) }
        let until = joined + .days(30)
        #expect(
            strict.verdict(some) == .held([.velocity, .recipientVelocity, .bulk], until: until, isDoubtful: true))
        var one = strict
        one.referralsADay = nil
        #expect(one.verdict(some).reasons == [.recipientVelocity, .bulk])
        one.advocatesOfRecipient = nil
        #expect(one.verdict(some).reasons == [.bulk])
        one.joinsInBulk = nil
        #expect(one.verdict(some) == .granted([]))
        #expect(strict.verdict(some).at(until) == .refused([.velocity, .recipientVelocity, .bulk]))
    }

    @Test("Every reason has a sentence of its own for the operator") func sentences() {
        #expect(Set(ReferralReason.allCases.map(\.sentence)).count == ReferralReason.allCases.count)
    }

    @Test("The same network is a mark, and never holds anything") func network() {
        var some = facts()
        some.isSameNetwork = true
        #expect(guards().verdict(some) == .granted([.sameNetwork]))
        #expect(guards { $0.sameNetwork = false }.verdict(some) == .granted([]))
    }

    @Test("What refuses comes before what holds") func order() {
        var some = facts()
        (some.isKnownFriend, some.referralsInADay, some.rewardsOfAdvocate) = (true, 1_000, 5)
        #expect(guards { $0.rewards = 5 }.verdict(some) == .refused([.duplicate, .limit]))
        #expect(guards { $0.rewards = 6 }.verdict(some) == .refused([.duplicate]))
    }

    @Test("A holding period ends in a grant; a doubt that nobody has decided ends in a refusal") func ending() {
        let holding = guards { $0.holding = .days(14) }.verdict(facts())
        #expect(holding == .held([.holding], until: joined + .days(14), isDoubtful: false))
        #expect(holding.at(joined + .days(14) - .seconds(1)) == holding)
        #expect(holding.at(joined + .days(14)) == .granted([.holding]))

        var some = facts()
        some.referralsInADay = 20
        #expect(guards().verdict(some).at(joined + .days(30)) == .refused([.velocity]))
        #expect(Verdict.granted([]).at(joined + .days(99)) == .granted([]))
    }
}
