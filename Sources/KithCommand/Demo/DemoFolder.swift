import Foundation

/// The folder that a demo plays in: one for each device, and the server's database.
///
/// It is known by its sign, so that no folder with other things in it is ever
/// written to; a file `finished` is there when the whole story was told.
struct DemoFolder: Sendable {
    let url: URL
    /// Whether nobody asked for the folder, so that it can go when the story has ended well.
    let isTemporary: Bool

    var phone: URL { url.appending(path: "phone", directoryHint: .isDirectory) }
    var tablet: URL { url.appending(path: "tablet", directoryHint: .isDirectory) }
    var database: URL { url.appending(path: "server.sqlite") }
    /// The files of the second act, as five programs wrote them.
    var addressBooks: URL { url.appending(path: "address-books", directoryHint: .isDirectory) }
    /// The devices of the third act, a folder each.
    var people: URL { url.appending(path: "people", directoryHint: .isDirectory) }
    /// What `kith` complains of when the story runs it.
    var commandLog: URL { url.appending(path: "kith.log") }
    var serverLog: URL { url.appending(path: "server.log") }
    private var sign: URL { url.appending(path: "kith-demo") }
    private var finished: URL { url.appending(path: "finished") }

    /// The folder at `path`, empty but for its sign; a new temporary one if that is nil.
    ///
    /// - Throws: ``Failure`` if the folder holds anything but an earlier demo.
    init(_ path: String?) throws {
        isTemporary = path == nil
        url =
            path.map { URL(filePath: ($0 as NSString).expandingTildeInPath, directoryHint: .isDirectory) }
            ?? FileManager.default.temporaryDirectory.appending(
                path: "kith-demo-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        let files = FileManager.default
        let found = (try? files.contentsOfDirectory(atPath: url.path())) ?? []
        if !found.isEmpty && !files.fileExists(atPath: sign.path()) {
            throw Failure(
                .usage, "demo",
                "\(url.path()) has other things in it than a demo. Name a folder that is empty or not there yet.")
        }
        do {
            for name in found where name != sign.lastPathComponent {
                try files.removeItem(at: url.appending(path: name))
            }
            for folder in [url, phone, tablet] {
                try files.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            try Data("This folder belongs to “kith demo”, which empties it when it begins.\n".utf8).write(to: sign)
        } catch {
            throw Failure(.failed, "demo", "The demo cannot write to \(url.path()): \(error.localizedDescription)")
        }
    }

    /// Notes that the story was told to its end, and takes a temporary folder away.
    func finish(_ words: String) throws {
        try Data((words + "\n").utf8).write(to: finished)
        discard()
    }

    /// Takes a temporary folder away.
    func discard() {
        if isTemporary { try? FileManager.default.removeItem(at: url) }
    }
}
