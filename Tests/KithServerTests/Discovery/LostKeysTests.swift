import KithServer
import Testing

@Suite("Lost keys of discovery") struct LostKeysTests {
    private static let patience = LostKeys.patience

    @Test("a lost key is reported once, and given up after ten minutes") func once() {
        var keys = LostKeys()
        #expect(keys.decide(["a"], at: .seconds(5)) == LostKeys.Decision(found: ["a"], givenUp: []))
        let almost = Self.patience + .seconds(4)
        #expect(keys.decide(["a", "b"], at: almost) == LostKeys.Decision(found: ["b"], givenUp: []))
        #expect(keys.decide(["a", "b"], at: almost + .seconds(1)) == LostKeys.Decision(found: [], givenUp: ["a"]))
    }

    @Test("a key that has come back is waited for again when it is lost again") func returned() {
        var keys = LostKeys()
        _ = keys.decide(["a"], at: .zero)
        #expect(keys.decide([], at: Self.patience) == LostKeys.Decision(found: [], givenUp: []))
        #expect(keys.decide(["a"], at: Self.patience) == LostKeys.Decision(found: ["a"], givenUp: []))
    }

    @Test("the log says which file lacks which key, and later that the key is deleted") func reports() {
        let (clock, log) = (HandClock(), LogKeeper())
        let watch = LostKeyWatch(of: "/keys", clock.server, log.logger)
        for _ in 0..<2 { #expect(watch.report(["a"]).isEmpty) }
        clock.advance(Self.patience)
        #expect(watch.report(["a"]) == ["a"])
        let lines = log.text.split(separator: "\n")
        #expect(lines.map { $0.prefix { $0 != " " } } == ["warning", "critical"])
        #expect(lines.first?.hasSuffix("file=/keys key=a") == true && lines.last?.hasSuffix("key=a") == true)
    }
}
