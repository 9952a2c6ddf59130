import Synchronization

/// How requests to one server are signed: with Basic, until the server accepts only Digest.
final class DAVAuthentication: Sendable {
    private let state = Mutex(false)

    var isDigest: Bool { state.withLock { $0 } }

    func beginDigest() { state.withLock { $0 = true } }
}
