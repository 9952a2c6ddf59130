import Foundation
import Kith
import Testing

@Suite("Sentences of errors") struct ErrorSentenceTests {
    @Test("The system shows the sentence of an error") func localizedDescription() {
        let error: any Error = KithError(.offline, "The server cannot be reached.")
        #expect(error.localizedDescription == "The server cannot be reached.")
        #expect((error as? any LocalizedError)?.errorDescription == "The server cannot be reached.")
        do {
            _ = try ListFormat.json.read(Data("Milk".utf8))
            Issue.record("This is no JSON.")
        } catch {
            #expect(error.localizedDescription == (error as? ListFormat.Failure)?.sentence)
        }
    }
}
