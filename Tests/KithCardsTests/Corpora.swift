import Foundation
import Testing

/// Files that other programs and projects have made, which are not ours to ship.
///
/// They are in the folder that `KITH_CORPORA` names, else in `../shared/corpora` beside the project.
enum Corpora {
    /// Why tests of the corpora are skipped.
    static let absence: Comment = "The corpora are not here: set KITH_CORPORA to their folder."

    /// The project's own folder.
    static let project = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let folder =
        ProcessInfo.processInfo.environment["KITH_CORPORA"].map { URL(filePath: $0) }
        ?? project.deletingLastPathComponent().appending(path: "shared/corpora")
}
