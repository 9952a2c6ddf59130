import Foundation
import KithModel
import Synchronization

/// The filters of all keys, in their encoded form. All answers share one copy of the bytes.
///
/// A filter is built at its first request, because most keys of small services never need one. Other requests in the
/// meantime wait for the same build. It is used for a minute, even if more people have joined: devices then read the
/// changes since its sequence.
final class TagFilters: Sendable {
    private struct Built {
        let data: Data
        let sequence: Int64
        let time: Timestamp
    }

    private struct State {
        var filters: [String: Built] = [:]
        var builds: [String: Task<Data, Never>] = [:]
    }

    private let state = Mutex(State())
    /// How long a filter is used after the table has changed.
    static let age = Duration.seconds(60)

    /// The filter of a key, whose table this is.
    func filter(of key: String, from table: BucketTable, padding: Padding, at now: Timestamp) async -> Data {
        let (data, build) = state.withLock { state -> (Data?, Task<Data, Never>?) in
            if let built = state.filters[key], Self.isCurrent(built, for: table, at: now) { return (built.data, nil) }
            if let build = state.builds[key] { return (nil, build) }
            let build = Task { self.build(key, table, padding, now) }
            state.builds[key] = build
            return (nil, build)
        }
        if let data { return data }
        return await build?.value ?? Data()
    }

    /// Removes the filters of all keys except `keys`.
    func keep(_ keys: Set<String>) {
        state.withLock { state in state.filters = state.filters.filter { keys.contains($0.key) } }
    }

    private static func isCurrent(_ built: Built, for table: BucketTable, at now: Timestamp) -> Bool {
        built.sequence >= table.sequence || built.time <= now && now < built.time + age
    }

    private func build(_ key: String, _ table: BucketTable, _ padding: Padding, _ now: Timestamp) -> Data {
        let data = table.filter(padding: padding).data
        state.withLock { state in
            state.filters[key] = Built(data: data, sequence: table.sequence, time: now)
            state.builds[key] = nil
        }
        return data
    }
}
