import ArgumentParser

/// The option of the commands that list the newest rows of a table.
struct ListingOptions: ParsableArguments {
    @Option(help: "How many at most.") var limit = 100

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("--limit needs a number from 1 to 100000.")
        }
    }

    /// The newest rows that `read` finds, and whether there are more.
    func newest<Row>(_ read: (_ limit: Int) async throws -> [Row]) async throws -> (shown: [Row], hasMore: Bool) {
        let found = try await read(limit + 1)
        return (Array(found.prefix(limit)), found.count > limit)
    }
}
