/// Which cards to fetch and which to remove, so that the device has the same account book as the server.
///
/// A pure value, computed from the server's answer and the device's copy. ``BookSync`` carries it out.
struct BookSyncPlan: Hashable, Sendable {
    /// The cards that are new or different, or that an earlier load requested in vain, in order.
    let toFetch: [String]
    /// The cards that are gone.
    let toRemove: [String]
    /// The entity tags of the cards to fetch, where the answer contains them; empty where the server has none.
    let tags: [String: String]
    /// The token that the server returns until the next change, once the plan is carried out; empty if the server has
    /// none.
    let token: String

    /// - Parameters:
    ///   - listed: The entity tags in the server's answer; nil for a card that is gone.
    ///   - isAll: Whether a card that is missing from `listed` is gone, too.
    ///   - known: The entity tags of the cards on the device.
    ///   - token: The token that comes with the answer.
    init(_ listed: [String: String?], isAll: Bool, known: [String: String], token: String?) {
        self.token = token ?? ""
        // A card without a tag may have changed.
        tags = listed.compactMapValues { $0 }.filter { $0.value.isEmpty || known[$0.key] != $0.value }
        let wanted = known.filter { $0.value == CardCache.StoredCard.wantedTag }.keys.filter { path in
            listed[path].map { $0 != nil } ?? !isAll
        }
        toFetch = Set(tags.keys).union(wanted).sorted()
        toRemove = known.keys.filter { path in listed[path].map { $0 == nil } ?? isAll }.sorted()
    }
}
