import Foundation
import KithModel
import KithServer
import RankTest

/// Compares answers about emails that an account has with answers about emails that none has: the time, by a rank test
/// over pairs, the size, and the answers to requests that come too soon.
///
/// Somebody who could tell the two apart could learn who is registered. The statistics are printed and not asserted,
/// because times depend on the machine. A p-value is small by chance in one of a hundred runs; the effect size says
/// whether a difference matters: below 0.03, one needs thousands of requests for one email to notice it, and ten are
/// allowed in a day.
func measureSignIn() async throws {
    let service = try await SignInService(pairs: 10_000)
    var (sending, checking, repeating) = (PairedTimes(), PairedTimes(), PairedTimes())
    for number in 0..<service.pairs {
        let session = try await service.newSession()
        let sent = try await sending.measure(number) { isKnown in
            try await service.send(number, isKnown, by: session)
        }
        // A right code proves that its owner reads the email, so only wrong codes must not tell anything.
        _ = try await checking.measure(number) { isKnown in
            try await service.check("x", of: isKnown ? sent.known.id : sent.unknown.id, by: session)
        }
        _ = try await repeating.measure(number) { isKnown in
            try await service.send(number, isKnown, by: session)
        }
        service.pass(.milliseconds(10))
    }
    let table = Table("signing in, \(service.pairs) pairs", "known", "unknown", "p", "effect", "bytes", "answers")
    sending.tell("sending a code", in: table)
    checking.tell("checking a wrong code", in: table)
    repeating.tell("a second code at once: refused", in: table)
}

/// The times and answers of pairs of requests: one about a known email, one about an unknown one.
private struct PairedTimes {
    private var times: [(known: Double, unknown: Double)] = []
    private var sizes: (known: Set<Int>, unknown: Set<Int>) = ([], [])
    private var answers: (known: Set<String>, unknown: Set<String>) = ([], [])

    /// Measures a pair, in a mixed order, so that neither side profits from the other's caches or the machine's rhythm.
    mutating func measure(
        _ number: Int, _ request: (Bool) async throws -> SignInAnswer
    ) async throws -> (known: SignInAnswer, unknown: SignInAnswer) {
        func timed(_ isKnown: Bool) async throws -> (SignInAnswer, Double) {
            let start = ContinuousClock.now
            let answer = try await request(isKnown)
            return (answer, start.duration(to: .now) / .microseconds(1))
        }
        let isKnownFirst = (number &* 0x9E37_79B9) >> 7 & 1 == 0
        let first = try await timed(isKnownFirst)
        let second = try await timed(!isKnownFirst)
        let (known, unknown) = isKnownFirst ? (first, second) : (second, first)
        times.append((known.1, unknown.1))
        sizes.known.insert(known.0.bytes)
        sizes.unknown.insert(unknown.0.bytes)
        answers.known.insert(known.0.meaning)
        answers.unknown.insert(unknown.0.meaning)
        return (known.0, unknown.0)
    }

    func tell(_ what: String, in table: Table) {
        let test = PairedRankTest(times.map { ($0.known, $0.unknown) })
        table.row(
            what, median(times.map(\.known)), median(times.map(\.unknown)), String(format: "%.3f", test.p),
            String(format: "%+.3f", test.effect), "\(span(sizes.known)), \(span(sizes.unknown))",
            answers.known == answers.unknown ? "equal" : "DIFFERENT")
    }

    private func median(_ values: [Double]) -> String { String(format: "%.1f µs", values.sorted()[values.count / 2]) }

    private func span(_ sizes: Set<Int>) -> String {
        Set([sizes.min(), sizes.max()].compactMap(\.self)).sorted().map(String.init).joined(separator: "–")
    }
}
