import Dispatch
import Foundation

/// Watches a file, or the entries of a folder, for possible changes: written, created, replaced, renamed, deleted,
/// restored.
///
/// Also watches each folder on the path, and the targets of symbolic links, so that it notices when the file is deleted
/// and when it comes back.
package struct PathWatch: Sendable {
    /// The entries of a folder that matter.
    package struct Interest: Hashable {
        /// The names of the entries on the path to the watched place.
        var names: Set<String> = []
        /// Whether this is the watched folder; its entries are filtered by ``PathWatch/matters``.
        var isWatchedFolder = false
        /// Whether changes of its files' content matter too.
        var includesContent = false

        mutating func add(_ other: Interest) {
            names.formUnion(other.names)
            isWatchedFolder = isWatchedFolder || other.isWatchedFolder
            includesContent = includesContent || other.includesContent
        }
    }

    let path: String
    /// Whether `path` is a folder whose entries are watched, or else a file.
    let isFolder: Bool
    /// Which entries of the watched folder matter.
    let matters: @Sendable (_ name: String) -> Bool

    package init(path: String, isFolder: Bool, matters: @escaping @Sendable (_ name: String) -> Bool = { _ in true }) {
        (self.path, self.isFolder, self.matters) = (path, isFolder, matters)
    }

    /// How long changes are collected into one element.
    static let quietPeriod = Duration.milliseconds(100)

    /// How often a change is assumed when the system has no watches left.
    static let pollingInterval = DispatchTimeInterval.seconds(10)

    /// Emits one element for all changes within a quiet period, from the call until its consumer stops listening.
    func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watching = Watching(self) { continuation.yield() }
        continuation.onTermination = { _ in watching.end() }
        return changes
    }

    /// The folders to watch, in the current state of the disk.
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

    /// Whether a change of this entry matters.
    package func matters(_ name: String, for interest: Interest) -> Bool {
        interest.names.contains(name) || interest.isWatchedFolder && matters(name)
    }

    /// The target of a path when its symbolic links are followed.
    private static func target(of path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
