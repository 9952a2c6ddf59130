/// How long something may take, and what it is, so that a wait that was in vain says for what.
package struct Limit: Sendable {
    /// What is waited for, as a sentence that was to come true.
    package let sentence: String
    package let duration: Duration

    /// - Parameters:
    ///   - sentence: What is to come true, without the full stop.
    ///   - duration: Long by default: where others build, a disk has been seen to take half a minute for a commit.
    package init(_ sentence: String, _ duration: Duration = .seconds(120)) {
        self.sentence = sentence
        self.duration = duration
    }

    /// Does `work`, but for no longer than the limit.
    ///
    /// - Throws: ``InVain`` after that time, or what `work` throws.
    package func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: duration)
                throw InVain("This did not come true within \(duration): \(sentence).")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    /// Waits until `condition` holds, asking again and again, and once more after the time.
    ///
    /// - Parameters:
    ///   - pause: Between two questions.
    ///   - condition: What is to hold.
    /// - Throws: ``InVain`` if it does not come to hold, or what `condition` throws.
    package func until(
        every pause: Duration = .milliseconds(10), _ condition: @escaping @Sendable () async throws -> Bool
    ) async throws {
        do {
            try await wait {
                while try await !condition() { try await Task.sleep(for: pause) }
            }
        } catch let error as InVain {
            // On a busy machine, the task that asks may not have run for a long time.
            guard try await wait(condition) else { throw error }
        }
    }
}
