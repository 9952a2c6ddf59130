import Dispatch
import Foundation
import Synchronization

/// Says when a file, or what is in a folder, may have changed: written, made, replaced, renamed, deleted, brought back.
///
/// Each folder that leads there is watched too, and where links lead: so what is
/// deleted is missed, and found again when it comes back.
package struct PathWatch: Sendable {
    /// Which entries of a folder matter.
    package struct Interest: Hashable {
        /// Those that lead on.
        var names: Set<String> = []
        /// Whether it is the watched folder, whose own entries are asked for by name.
        var isWatchedFolder = false
        /// Whether it also matters what is written into its files.
        var includesContent = false

        mutating func add(_ other: Interest) {
            names.formUnion(other.names)
            isWatchedFolder = isWatchedFolder || other.isWatchedFolder
            includesContent = includesContent || other.includesContent
        }
    }

    let path: String
    /// Whether what is in the folder at `path` is watched, or the file there.
    let isFolder: Bool
    /// Which entries of the watched folder matter.
    let matters: @Sendable (_ name: String) -> Bool

    package init(path: String, isFolder: Bool, matters: @escaping @Sendable (_ name: String) -> Bool = { _ in true }) {
        (self.path, self.isFolder, self.matters) = (path, isFolder, matters)
    }

    /// How long changes are gathered, to be told as one.
    static let quietPeriod = Duration.milliseconds(100)

    /// How often a change is supposed where the system has no watch left to give.
    static let pollingInterval = DispatchTimeInterval.seconds(10)

    /// One element for all changes within a quiet period, from the call on, until nobody listens any more.
    func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watching = Watching(self) { continuation.yield() }
        continuation.onTermination = { _ in watching.end() }
        return changes
    }

    /// The folders to watch, as things are now.
    package var interests: [String: Interest] {
        var interests: [String: Interest] = [:]
        for path in Set([path, Self.target(of: path) ?? path]) {
            var folder = "/"
            let names = path.split(separator: "/").map(String.init)
            for (index, name) in names.enumerated() {
                interests[folder, default: Interest()].names.insert(name)
                if index == names.count - 1 && !isFolder { interests[folder]?.includesContent = true }
                folder += folder == "/" ? name : "/" + name
            }
            if isFolder { interests[folder, default: Interest()].isWatchedFolder = true }
            if isFolder { interests[folder]?.includesContent = true }
        }
        return interests
    }

    /// Whether a change of this entry is one of what is watched.
    package func matters(_ name: String, for interest: Interest) -> Bool {
        interest.names.contains(name) || interest.isWatchedFolder && matters(name)
    }

    /// Where a path ends when its links are followed.
    private static func target(of path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
