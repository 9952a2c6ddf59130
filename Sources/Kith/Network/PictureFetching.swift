import Foundation
import KithModel
import Synchronization

/// Fetches each picture once, however many ask for it at the same time.
final class PictureFetching: Sendable {
    /// Which picture is meant: who asks, and whose it is in which size.
    struct Key: Hashable, Sendable {
        let asker: AccountID
        let owner: AccountID
        let size: PictureSize
        /// What it is expected to be; another one is another fetch.
        let hash: String?
    }

    private let running = Mutex<[Key: Task<Data?, any Error>]>([:])

    /// What `fetch` gives, for all who ask while it runs. One who is cancelled stops nobody else.
    func data(_ key: Key, _ fetch: @escaping @Sendable () async throws -> Data?) async throws -> Data? {
        let task = running.withLock { running in
            if let task = running[key] { return task }
            let task = Task {
                defer { self.running.withLock { $0[key] = nil } }
                return try await fetch()
            }
            running[key] = task
            return task
        }
        return try await task.value
    }
}
