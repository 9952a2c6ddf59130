import Foundation
import Testing

/// The repository as its own tests read it: plain text files under one root.
struct House {
    /// One text file, with its path as seen from the root.
    struct File: CustomTestStringConvertible {
        let path: String
        let text: String

        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        var name: String { String(path.split(separator: "/").last ?? "") }
        var testDescription: String { path }
    }

    /// Everything that belongs to the project, in order of paths.
    let files: [File]

    /// Every path, those of files that are not text included, and every folder's.
    let paths: Set<String>

    /// The folder that holds this package, found from where this file was compiled.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let standing = House(at: root)

    init(at root: URL) {
        // What a build or a run leaves behind, and what no one here wrote.
        let foreign: Set = [".git", ".build", ".kith", ".swiftpm", ".venv", "__pycache__", "Package.resolved"]
        var files: [File] = []
        var paths: Set<String> = []
        var folders = [""]
        while let folder = folders.popLast() {
            let place = folder.isEmpty ? root : root.appending(path: folder)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path(percentEncoded: false))) ?? []
            for name in names where !foreign.contains(name) && !name.hasPrefix(".build") {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                let url = root.appending(path: path)
                paths.insert(path)
                if (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true {
                    folders.append(path)
                } else if let data = try? Data(contentsOf: url), let text = String(data: data, encoding: .utf8) {
                    files.append(File(path: path, text: text))
                }
            }
        }
        self.files = files.sorted { $0.path < $1.path }
        self.paths = paths
    }

    /// The Swift files under `folder`.
    func swift(under folder: String) -> [File] {
        files.filter { $0.path.hasPrefix(folder + "/") && $0.path.hasSuffix(".swift") }
    }

    /// The Markdown files.
    var markdown: [File] {
        files.filter { $0.path.hasSuffix(".md") }
    }

    /// The file at `path`, or nil if there is none.
    func file(_ path: String) -> File? {
        files.first { $0.path == path }
    }
}
