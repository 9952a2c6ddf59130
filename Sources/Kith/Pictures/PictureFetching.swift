import Foundation
import KithModel
import Synchronization

/// Fetches each picture only once if several callers request it at the same time.
final class PictureFetching: Sendable {
    /// The requested picture.
    struct Key: Hashable, Sendable {
        let asker: AccountID
        let owner: AccountID
        let size: PictureSize
        /// The expected hash. Requests with different hashes are fetched separately.
        let hash: String?
    }

    private let running = Mutex<[Key: Task<Data?, any Error>]>([:])

    /// The result of `fetch`, for all callers that ask while it runs. Cancelling one caller does not stop the others.
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
