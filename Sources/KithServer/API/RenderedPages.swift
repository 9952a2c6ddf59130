import Synchronization

/// The answers with pages that many people open, as they were rendered and compressed before. A page with other values is
/// another page, so that an answer is never out of date.
final class RenderedPages: Sendable {
    /// What the bytes of an answer depend on.
    struct Key: Hashable {
        let page: Page
        let language: PageLanguage
        let root: String
        let isCompressed: Bool
    }

    /// The maximum number of answers. Beyond it, all are rendered again.
    private static let most = 500

    private let known = Mutex<[Key: Answer]>([:])

    /// The answer for a key. The first time, it is rendered.
    func answer(for key: Key, rendering: () -> Answer) -> Answer {
        if let answer = known.withLock({ $0[key] }) { return answer }
        let answer = rendering()
        known.withLock { known in
            if known.count >= Self.most { known.removeAll() }
            known[key] = answer
        }
        return answer
    }
}
