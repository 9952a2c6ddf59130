import KithCards

/// A source that could not be opened.
struct UnopenedSource: AddressBookSource {
    let error: any Error

    func load(_ progress: LoadProgress) async throws -> SourceContents { throw error }
    func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
    func vCard(_ reference: CardReference) async throws -> VCard { throw error }
    func add(_ cards: [VCard]) async throws -> AddedCards { throw error }
}
