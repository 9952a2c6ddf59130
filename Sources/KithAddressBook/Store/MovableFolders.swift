import Foundation

/// The folders that can move together with their content: the client's own, and the home folder. On iOS the home folder
/// is the app's container, which each update of the app moves.
struct MovableFolders: Sendable {
    /// The client's folder; nil for a client in memory.
    let client: URL?
    let home: URL

    /// The part of a path below a folder; nil if the path does not lead into the folder.
    static func rest(of path: String, in folder: URL?) -> String? {
        guard let folder else { return nil }
        var base = folder.standardizedFileURL.path(percentEncoded: false)
        if !base.hasSuffix("/") { base += "/" }
        // Nothing moves the root.
        guard base != "/", path != base, path.utf8.starts(with: base.utf8) else { return nil }
        return String(decoding: path.utf8.dropFirst(base.utf8.count), as: UTF8.self)
    }

    /// The part of a path below the container of an iOS app, wherever that was; nil if it leads into none.
    static func restInContainer(of path: String) -> String? {
        path.firstMatch(of: /\/Containers\/Data\/Application\/[0-9A-Fa-f-]{36}\/(.+)/).map { String($0.1) }
    }

    /// The present path of something that was at `path`, `rest` below a folder, if it has moved with that folder.
    ///
    /// - Returns: The path; nil if the folder is still where it was, or if there is nothing at the new place. Without that, a
    ///   volume that is not mounted would count as a folder that has moved.
    static func moved(_ path: String, _ rest: String?, to folder: URL?) -> String? {
        guard let rest, let folder, path.hasSuffix("/" + rest) else { return nil }
        let before = String(path.dropLast(rest.count))
        if FileManager.default.fileExists(atPath: before) { return nil }
        let now = folder.standardizedFileURL.appending(path: rest).path(percentEncoded: false)
        return FileManager.default.fileExists(atPath: now) ? now : nil
    }
}
