/// What is to be done so that the device has what the server has of an account book.
///
/// It is a value, made of what the server says and what the device has; doing it is another's.
struct BookSyncPlan: Hashable, Sendable {
    /// The cards that are new or different, or were wanted in vain before, in order.
    let toFetch: [String]
    /// The cards that are gone.
    let toRemove: [String]
    /// The entity tags of cards to fetch, as far as the server has told them; empty where it gives none.
    let tags: [String: String]
    /// What the server will say while nothing changes, once this is done; empty if it says nothing of the kind.
    let token: String

    /// - Parameters:
    ///   - said: What the server says of cards: their entity tags; nil for one that is gone.
    ///   - isAll: Whether a card that nothing is said of is gone, too.
    ///   - known: The entity tags of the cards that the device has.
    ///   - token: What the server says it will say.
    init(_ said: [String: String?], isAll: Bool, known: [String: String], token: String?) {
        self.token = token ?? ""
        // A card without a tag may have changed.
        tags = said.compactMapValues { $0 }.filter { $0.value.isEmpty || known[$0.key] != $0.value }
        let wanted = known.filter { $0.value == CardCache.StoredCard.wantedTag }.keys.filter { path in
            said[path].map { $0 != nil } ?? !isAll
        }
        toFetch = Set(tags.keys).union(wanted).sorted()
        toRemove = known.keys.filter { path in said[path].map { $0 == nil } ?? isAll }.sorted()
    }
}
