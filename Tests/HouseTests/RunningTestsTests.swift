import Foundation
import Processes
import Testing

/// `./test` ends a run in which nothing happens any more, and says which tests hang.
@Suite("The names of tests that hang", .timeLimit(.minutes(15))) struct RunningTestsTests {
    @Test("are those that have begun and not ended, also beside another test of the same name")
    func names() async throws {
        let log = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID()).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let lines = [
            "◇ Test run started.", "◇ Suite \"One\" started.",
            "◇ Test \"A wait, and no end\" started.", "◇ Test \"Twins\" started.", "◇ Test \"Twins\" started.",
            "◇ Test \"Cases\" started.", "◇ Test function(argument:) started.", "◇ Test \"A failure\" started.",
            "✔ Test \"Twins\" passed after 0.013 seconds.",
            "✔ Test \"Cases\" with 12 test cases passed after 2.500 seconds.",
            "✘ Test \"A failure\" recorded an issue at A.swift:1:2: Expectation failed",
            "✘ Test \"A failure\" failed after 1.000 seconds with 1 issue.",
        ]
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: log)
        let script = House.root.appending(path: "Scripts/running-tests")
        let run = try await FinishedProcess(script, [log.path()])
        let names = String(decoding: run.output, as: UTF8.self).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        #expect(run.status == 0)
        #expect(Set(names) == ["\"A wait, and no end\"", "\"Twins\"", "function(argument:)"])
    }
}
