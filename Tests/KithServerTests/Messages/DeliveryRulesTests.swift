import KithModel
import KithServer
import Testing

@Suite("The rules of delivery") struct DeliveryRulesTests {
    @Test("An accepted message is sent, whatever the number of attempts", arguments: [1, 2, 100])
    func accepted(attempts: Int) {
        #expect(DeliveryRules.step(after: .accepted, attempts: attempts, left: .zero) == .sent)
    }

    @Test("A message that the gateway refuses for good fails with the gateway’s words")
    func refused() {
        let step = DeliveryRules.step(after: .refused("550 5.1.1 No such user"), attempts: 1, left: .days(1))
        #expect(step == .failed(MessageFailure(.refused, "550 5.1.1 No such user")))
    }

    @Test("The pauses grow to four hours, and stay there")
    func pauses() {
        var pauses: [Duration] = []
        for attempts in 1...10 {
            guard
                case .retry(let pause, "451") = DeliveryRules.step(
                    after: .refusedForNow("451"), attempts: attempts, left: .days(2))
            else {
                Issue.record("Attempt \(attempts) was the last.")
                return
            }
            pauses.append(pause)
        }
        #expect(
            pauses.prefix(8) == DeliveryRules.pauses[...] && pauses.suffix(2) == [.seconds(14_400), .seconds(14_400)])
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("A broken connection is tried again as a temporary refusal is")
    func broken() {
        let step = DeliveryRules.step(after: .broken("reset"), attempts: 1, left: .days(1))
        #expect(step == .retry(after: .seconds(10), "reset"))
    }

    @Test("A message whose next attempt would come after its end expires")
    func expired() {
        let step = DeliveryRules.step(after: .refusedForNow("451 later"), attempts: 4, left: .seconds(600))
        #expect(step == .failed(MessageFailure(.expired, "451 later")))
        let last = DeliveryRules.step(after: .refusedForNow("451 later"), attempts: 4, left: .seconds(601))
        #expect(last == .retry(after: .seconds(600), "451 later"))
    }

    @Test("A code is tried at least three times within its ten minutes, an invitation for two days")
    func lifetimes() {
        func attempts(_ kind: MessageKind) -> Int {
            var (attempts, left) = (1, kind.lifetime)
            while case .retry(let pause, _) = DeliveryRules.step(after: .broken(""), attempts: attempts, left: left) {
                left -= pause
                attempts += 1
            }
            return attempts
        }
        #expect(attempts(.code) == 4 && attempts(.invitation) > 10)
    }
}
