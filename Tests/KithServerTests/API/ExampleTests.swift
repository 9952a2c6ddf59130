import Foundation
import Processes
import Testing

@Suite("The examples of openapi.json") struct ExampleTests {
    private static let missing = Peers.missing("jsonschema_rs")

    /// Validates the examples of a description.
    ///
    /// - Returns: What is not valid, and the number of examples.
    private func check(_ description: URL) async throws -> (faults: [String], count: Int) {
        let run = try await FinishedProcess(
            Peers.python, [Peers.script("openapi_examples.py"), description.path(percentEncoded: false)])
        try #require(run.status == 0, "\(String(decoding: run.complaints, as: UTF8.self))")
        let lines = String(decoding: run.output, as: UTF8.self).split(separator: "\n").map(String.init)
        return (Array(lines.dropLast()), try #require(lines.last.flatMap { Int($0) }))
    }

    @Test("Are valid against their own schemas, as PyPI's jsonschema-rs reads them", .skipped(if: missing))
    func valid() async throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let file = root.appending(path: "Documentation/openapi.json")
        let (faults, count) = try await check(file)
        #expect(faults.isEmpty && count > 100)

        // The check finds a wrong example of a schema, and one of an answer.
        var text = try String(contentsOf: file, encoding: .utf8)
        for (right, wrong) in [(#""code": "123456""#, #""code": 123456"#), (#""status": "alive""#, #""status": "?""#)] {
            try #require(text.contains(right))
            text = text.replacing(right, with: wrong)
        }
        let copy = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: copy) }
        try Data(text.utf8).write(to: copy)
        #expect(try await check(copy).faults.count == 2)
    }
}
