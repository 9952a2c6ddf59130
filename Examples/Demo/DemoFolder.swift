import ArgumentParser
import Foundation

/// The folder of a demonstration: one for each device, and the server's database.
///
/// A file in it says whose it is, so that no folder with other things in it is ever written to. The file `finished` is
/// there when the story was told to its end.
struct DemoFolder: Sendable {
    let url: URL
    private let isTemporary: Bool

    var path: String { url.path(percentEncoded: false) }
    var phone: URL { url.appending(path: "phone", directoryHint: .isDirectory) }
    var tablet: URL { url.appending(path: "tablet", directoryHint: .isDirectory) }
    /// The files of the second act, as five programs wrote them.
    var addressBooks: URL { url.appending(path: "address-books", directoryHint: .isDirectory) }
    /// The devices of the third act, a folder each.
    var people: URL { url.appending(path: "people", directoryHint: .isDirectory) }
    var database: URL { url.appending(path: "server.sqlite") }
    var serverLog: URL { url.appending(path: "server.log") }

    /// The folder at `chosen`, empty but for the file that says whose it is; nil for a temporary one.
    init(_ chosen: String?) throws {
        isTemporary = chosen == nil
        url =
            chosen.map { URL(filePath: ($0 as NSString).expandingTildeInPath, directoryHint: .isDirectory) }
            ?? FileManager.default.temporaryDirectory.appending(
                path: "kith-demo-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        let files = FileManager.default
        let sign = "kith-demo"
        let found = (try? files.contentsOfDirectory(atPath: path)) ?? []
        if !found.isEmpty && !found.contains(sign) {
            throw ValidationError("\(path) has other things in it than a demonstration. Name an empty folder.")
        }
        for name in found where name != sign { try files.removeItem(at: url.appending(path: name)) }
        for folder in [phone, tablet, addressBooks, people] {
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try Data("This folder belongs to Kith's demonstration, which empties it when it begins.\n".utf8)
            .write(to: url.appending(path: sign))
    }

    /// Notes that the story was told to its end.
    func finish() throws {
        try Data("The story was told to its end.\n".utf8).write(to: url.appending(path: "finished"))
        discard()
    }

    /// Removes the folder if it is a temporary one.
    func discard() {
        if isTemporary { try? FileManager.default.removeItem(at: url) }
    }
}
