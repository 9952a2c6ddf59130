import Foundation
import KithModel
import KithServer
import Testing

@Suite("A daily quota") struct DailyQuotaTests {
    private let noon = Timestamp(milliseconds: 1_800_000_000_000)
    private let quota = DailyQuota(kind: "tea", noun: "cups", limit: 3)

    @Test("What is refused is not counted, even if the transaction goes on") func refused() throws {
        let ada = DailyQuota.Subject.account(AccountID(UUID()))
        try SQLiteDatabase.inMemory().writeNow { transaction in
            try quota.take(2, by: ada, at: noon, in: transaction)
            for amount in [2, 4] {
                #expect(throws: ServerError.self) { try quota.take(amount, by: ada, at: noon, in: transaction) }
            }
            #expect(try quota.allowance(of: ada, at: noon, in: transaction).left == 1)
            #expect(try quota.take(by: ada, at: noon, in: transaction).left == 0)
        }
    }

    @Test("An account, a network and everybody are counted apart, and the refusal says whose limit it is")
    func subjects() throws {
        try SQLiteDatabase.inMemory().writeNow { transaction in
            let secret = try MessageSecret(in: transaction, random: RandomBytes(seed: 1))
            let subjects: [(DailyQuota.Subject, String)] = [
                (.account(AccountID(UUID())), "0 are left"),
                (.network(secret.hash(of: ClientNetwork("192.0.2.0"))), "for this network"),
                (.everybody, "for this server"),
            ]
            for (subject, words) in subjects {
                try quota.take(3, by: subject, at: noon, in: transaction)
                let error = #expect(throws: ServerError.self) { try quota.take(by: subject, at: noon, in: transaction) }
                #expect(error?.code == .quotaExceeded && error?.sentence.contains(words) == true)
            }
        }
    }
}
