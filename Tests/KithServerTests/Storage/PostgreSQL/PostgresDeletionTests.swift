import KithModel
import KithServer
import Processes
import Testing

@Suite(
    "The deletion of an account in PostgreSQL, while others change its lists",
    .skipped(if: PostgresServer.missing), .postgresServer)
struct PostgresDeletionTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(PostgresServer.current)
    }

    private struct Result: Equatable {
        /// The code of the error.
        var code: Problem.Code?
        /// The role of each in the list afterwards.
        var ada: Role?
        var ben: Role?
    }

    /// Deletes the account of Ada, who owns a list in which Ben is an editor, and somebody else a viewer. The deletion has
    /// begun when the mutation of `change` is written, and goes on after the commit of that.
    private func delete(
        _ decision: AccountDeletion.Rest, during change: (_ ada: Phone, _ ben: Phone, _ list: FeedID) -> Mutation
    ) async throws -> Result {
        var result = Result()
        try await server.withDatabase { database, address in
            let (town, ada, list) = try Town.withList(database)
            let ben = try town.phone()
            try town.join(ben, list, of: ada, as: .editor)
            try town.join(try town.phone(), list, of: ada, as: .viewer)
            let mutation = change(ada, ben, list)
            var author = mutation.feed == ben.home ? ben : ada
            let (request, now, account) = (author.request([mutation]), town.now, ada.account)
            let node = try await PostgresDatabase(url: address, settings: .patient)
            let code = try await Occupation.run(in: node) { transaction in
                _ = try SyncRound(request, as: request.account, at: now).push(in: transaction)
            } _: { occupation in
                async let deletion = errorCode {
                    try await AccountService(database: database, signals: .none).delete(
                        account, deciding: AccountDeletion(others: decision), at: now)
                }
                try await Limit("the deletion waits for the list").until {
                    try await server.sql(
                        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
                        at: address
                    ).count == 1
                }
                occupation.release()
                return await deletion
            }
            await node.close()
            result = Result(
                code: code, ada: try town.role(ada.account, list), ben: try town.role(ben.account, list))
        }
        return result
    }

    @Test("If the only editor leaves the list, it keeps its owner, who is asked again") func heirLeaves() async throws {
        let result = try await delete(.editor) { _, ben, list in ben.leave(list) }
        #expect(result == Result(code: .listsUndecided, ada: .owner, ben: nil))
    }

    @Test("If another person becomes the owner, the list is theirs") func newOwner() async throws {
        let result = try await delete(.delete) { ada, ben, list in ada.role(.owner, of: ben.account, in: list) }
        // The background job removes Ada.
        #expect(result == Result(code: nil, ada: .editor, ben: .owner))
    }
}
