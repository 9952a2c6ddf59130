import Foundation
import Kith
import KithModel
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

    @Test("A sentence names no call of the SDK, because users read it") func noCalls() async throws {
        let client = try Phone().client
        let shareable = try await client.sharing.shareable(in: "friends").id
        let nobody = AccountScope.account(AccountID(UUID()))
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client.accounts.decide(.keep, about: nobody) },
            { _ = try await client.session.select(nobody) },
            { _ = try Phone(account: nobody) },
            { try await client.sharing.update(shareable, list: "https://kith.example.com/v1/links/abc") },
        ]
        for call in calls {
            let error = await #expect(throws: KithError.self) { try await call() }
            #expect(error?.sentence.contains("client.") == false, "\(error?.sentence ?? "")")
        }
    }
}
