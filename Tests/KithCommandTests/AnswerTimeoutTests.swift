import KithCommand
import Testing

@Suite("How long a command waits for the server after an edit") struct AnswerTimeoutTests {
    @Test("Four seconds, unless the environment says otherwise") func variable() {
        #expect(AnswerTimeout.duration([:]) == .seconds(4))
        for (text, seconds) in [("90", 90), ("3600", 3_600), ("", 4), ("0", 4), ("3601", 4), ("1.5", 4), ("x", 4)] {
            #expect(AnswerTimeout.duration([AnswerTimeout.variable: text]) == .seconds(seconds), "\(text)")
        }
    }
}
