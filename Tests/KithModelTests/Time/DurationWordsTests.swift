import KithModel
import Testing

@Suite("Durations in words") struct DurationWordsTests {
    @Test(
        "A duration is given in its largest suitable unit, rounded up",
        arguments: [
            (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (90, "90 seconds"),
            (121, "3 minutes"), (3_600, "1 hour"), (5_000, "84 minutes"), (7_201, "3 hours"), (86_400, "1 day"),
            (100_000, "28 hours"), (1_123_200, "13 days"), (1_123_201, "14 days"), (31_536_000, "365 days"),
        ])
    func words(seconds: Int, words: String) {
        #expect(Duration.seconds(seconds).words == words)
    }
}
