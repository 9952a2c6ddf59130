/// Does `work`, with a time limit.
///
/// - Throws: ``TookTooLong`` after `limit`, or the error of `work`.
func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw TookTooLong()
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw TookTooLong() }
        return value
    }
}

/// Something took longer than its time limit.
struct TookTooLong: Error {}
