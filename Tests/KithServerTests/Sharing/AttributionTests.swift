import Foundation
import KithModel
import KithServer
import Testing

@Suite("Who has brought somebody") struct AttributionTests {
    private let friend = AccountID(UUID())
    private let ada = AccountID(UUID())
    private let ben = AccountID(UUID())
    private let joined = Timestamp(milliseconds: 1_000 * 86_400_000)

    private func claim(
        _ advocate: AccountID, _ basis: Referral.Basis, daysBefore days: Int64
    ) -> Attribution.Claim {
        .init(advocate, basis, at: joined - .days(days), source: UUID())
    }

    private func winner(_ claims: [Attribution.Claim], _ attribution: Attribution = Attribution()) -> AccountID? {
        let winner = attribution.winner(of: claims, friend: friend, joined: joined)?.advocate
        #expect(attribution.winner(of: claims.reversed(), friend: friend, joined: joined)?.advocate == winner)
        return winner
    }

    @Test("Trap: the shared-to email beats the link – a code or link counts first, whenever it was used")
    func codeFirst() {
        #expect(winner([claim(ada, .code, daysBefore: 20), claim(ben, .recipient, daysBefore: 1)]) == ada)
        #expect(winner([claim(ben, .recipient, daysBefore: 1)]) == ben)
    }

    @Test("The newest advocate counts, or the first, as the programme says") func rules() {
        let claims = [claim(ada, .recipient, daysBefore: 9), claim(ben, .recipient, daysBefore: 3)]
        #expect(winner(claims) == ben)
        #expect(winner(claims, Attribution(.first)) == ada)
    }

    @Test("What is older than the window, or after the sign-up, does not count") func window() {
        #expect(winner([claim(ada, .code, daysBefore: 31)]) == nil)
        #expect(winner([claim(ada, .code, daysBefore: 30)]) == ada)
        #expect(winner([claim(ada, .code, daysBefore: -1)]) == nil)
    }

    @Test("Nobody brings himself") func himself() {
        #expect(winner([claim(friend, .code, daysBefore: 0)]) == nil)
        #expect(winner([claim(friend, .code, daysBefore: 0), claim(ben, .recipient, daysBefore: 2)]) == ben)
    }

    @Test("Claims of the same moment are decided the same way in any order") func sameMoment() {
        #expect(winner([claim(ada, .code, daysBefore: 2), claim(ben, .code, daysBefore: 2)]) != nil)
    }
}
