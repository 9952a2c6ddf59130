import KithCommand
import Testing

@Suite("How long a command waits for the server after an edit") struct AnswerTimeoutTests {
    @Test("Four seconds, unless the environment says otherwise") func variable() throws {
        #expect(try AnswerTimeout.duration([:]) == .seconds(4))
        for (text, seconds) in [("90", 90), ("1", 1), ("3600", 3_600), ("", 4)] {
            #expect(try AnswerTimeout.duration([AnswerTimeout.variable: text]) == .seconds(seconds), "\(text)")
        }
    }

    @Test("Another value is an error that names it", arguments: ["0", "-1", "3601", "1.5", "x"])
    func wrong(text: String) async throws {
        let error = #expect(throws: Failure.self) { try AnswerTimeout.duration([AnswerTimeout.variable: text]) }
        #expect(error?.status == .usage)
        let run = try await Program.built.run(["lists"], in: Folder(), environment: [AnswerTimeout.variable: text])
        #expect(run.status == 64 && run.complaints.contains("KITH_ANSWER_SECONDS is “\(text)”"), "\(run.complaints)")
    }
}
