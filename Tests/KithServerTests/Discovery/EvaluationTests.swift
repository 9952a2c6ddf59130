import Foundation
import HTTPTypes
import KithModel
import KithServer
import OPRF
import Testing

@Suite("Evaluations and their quota") struct EvaluationTests {
    private func elements(_ count: Int) throws -> [String] {
        try RistrettoPRF().blind((0..<count).map { Array("tel:+43\($0)".utf8) }).map { Data($0.element).base64URL }
    }

    private func key(_ seeker: Seeker, at now: Timestamp = Seeker.noon) async throws -> String {
        try #require(try await seeker.service.describe(for: seeker.account, at: now).keys.first?.id)
    }

    @Test("an account has a daily quota; the refusal names the time of the next day, when the quota is back")
    func quota() async throws {
        let seeker = try await Seeker(evaluationsADay: 10)
        let key = try await key(seeker)
        let midnight = Timestamp(milliseconds: 1_800_057_600_000)
        let first = try await seeker.service.evaluate(
            EvaluationRequest(key: key, elements: elements(7)), by: seeker.account, at: Seeker.noon)
        #expect(first.quota == DailyAllowance(limit: 10, used: 7, resets: midnight))

        let four = EvaluationRequest(key: key, elements: try elements(4))
        let refused = await refusal { try await seeker.service.evaluate(four, by: seeker.account, at: Seeker.noon) }
        #expect(refused?.code == .quotaExceeded)
        #expect(refused?.retryAfter == .seconds(12 * 3600))
        #expect(refused?.sentence.contains("2027-01-16T00:00:00Z") == true)
        #expect(refused?.sentence.contains("3 are left") == true)
        #expect(Problem(try #require(refused), id: "1").status == 429)

        // What was refused took nothing.
        let three = EvaluationRequest(key: key, elements: try elements(3))
        let last = try await seeker.service.evaluate(three, by: seeker.account, at: midnight - .seconds(1))
        #expect(last.quota.left == 0)
        let next = try await seeker.service.evaluate(three, by: seeker.account, at: midnight)
        #expect(next.quota == DailyAllowance(limit: 10, used: 3, resets: midnight + .days(1)))
    }

    @Test("each account has its own quota; past days are deleted") func accounts() async throws {
        let seeker = try await Seeker(evaluationsADay: 5)
        let request = EvaluationRequest(key: try await key(seeker), elements: try elements(5))
        let other = try await seeker.newAccount()
        for account in [seeker.account, other] {
            let answer = try await seeker.service.evaluate(request, by: account, at: Seeker.noon)
            #expect(answer.quota.left == 0)
        }
        #expect(try await seeker.dump("usage").count == 2)
        let housekeeping = Housekeeping(database: seeker.database, signals: .none)
        try await housekeeping.purge(Seeker.noon + .days(1))
        #expect(try await seeker.dump("usage").count == 2)
        try await housekeeping.purge(Seeker.noon + .days(2))
        #expect(try await seeker.dump("usage").isEmpty)
    }

    @Test("an invalid element is refused with its position, and uses no quota") func malformed() async throws {
        let seeker = try await Seeker()
        let key = try await key(seeker)
        let good = try elements(1)[0]
        for bad in ["", "AAAA", good + "=", Data([UInt8](repeating: 0, count: 32)).base64URL, "+436641234567"] {
            let request = EvaluationRequest(key: key, elements: [good, bad])
            let refused = await refusal {
                try await seeker.service.evaluate(request, by: seeker.account, at: Seeker.noon)
            }
            #expect(refused?.code == .malformed)
            #expect(refused?.path == "$.elements[1]")
        }
        #expect(try await seeker.dump("usage").isEmpty)
        let many = EvaluationRequest(key: key, elements: [String](repeating: good, count: Limits.evaluations + 1))
        let refused = await refusal { try await seeker.service.evaluate(many, by: seeker.account, at: Seeker.noon) }
        #expect(refused?.code == .tooMany)
        let expired = EvaluationRequest(key: "other", elements: [good])
        #expect(
            await refusal { try await seeker.service.evaluate(expired, by: seeker.account, at: Seeker.noon) }?.code
                == .keyExpired)
        #expect(Problem.Code.keyExpired.status == .gone)
    }
}
