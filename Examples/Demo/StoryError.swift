import Foundation
import Kith

/// The reason why the story stopped early.
struct StoryError: Error, CustomStringConvertible {
    let description: String

    init(_ sentence: String) {
        description = sentence
    }

    init(_ error: any Error) {
        description =
            switch error {
            case let error as KithError: error.sentence
            case let error as CocoaError: error.localizedDescription
            default: "\(error)"
            }
    }
}

/// Stops the story if what it is about to print is not true.
func check(_ isSo: Bool, _ sentence: String) throws {
    if !isSo { throw StoryError("A check of the story failed: \(sentence)") }
}

/// Returns the first value of a live query or a signal for which `holds`, within a minute.
func wait<Value: Sendable>(
    for what: String, in values: AsyncStream<Value>, until holds: @escaping @Sendable (Value) -> Bool
) async throws {
    try await withThrowingTaskGroup { group in
        group.addTask {
            for await value in values where holds(value) { return }
            throw StoryError("The updates ended, and this did not happen: \(what)")
        }
        group.addTask {
            try await Task.sleep(for: .seconds(60))
            throw StoryError("This did not happen within a minute: \(what)")
        }
        try await group.next()
        group.cancelAll()
    }
}
