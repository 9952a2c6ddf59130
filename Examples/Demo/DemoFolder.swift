import ArgumentParser
import Foundation

/// The folder of a demonstration: one folder for each device, and the server's database.
///
/// A file in it marks it as a folder of the demonstration, so that the demonstration never writes to a folder with
/// other data. The file `finished` exists if the story ran to its end.
struct DemoFolder: Sendable {
    let url: URL
    private let isTemporary: Bool

    var path: String { url.path(percentEncoded: false) }
    var phone: URL { url.appending(path: "phone", directoryHint: .isDirectory) }
    var tablet: URL { url.appending(path: "tablet", directoryHint: .isDirectory) }
    /// The files for the second act, in the styles of five programs.
    var addressBooks: URL { url.appending(path: "address-books", directoryHint: .isDirectory) }
    /// The devices of the acts after the second one, each in its own folder.
    var people: URL { url.appending(path: "people", directoryHint: .isDirectory) }
    var database: URL { url.appending(path: "server.sqlite") }
    var serverLog: URL { url.appending(path: "server.log") }
    /// The operator's file of the programme in the fifth act.
    var programme: URL { url.appending(path: "programme.json") }

    /// The folder at `chosen`, or a temporary folder if `chosen` is nil. It contains only the file that marks it.
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
            throw ValidationError("\(path) contains files that are not of a demonstration. Name an empty folder.")
        }
        do {
            for name in found where name != sign { try files.removeItem(at: url.appending(path: name)) }
            for folder in [phone, tablet, addressBooks, people] {
                try files.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            try Data("This folder belongs to Kith's demonstration, which empties it when it begins.\n".utf8)
                .write(to: url.appending(path: sign))
        } catch {
            throw ValidationError("\(path) cannot be written. Name a folder in which you may write.")
        }
    }

    /// Writes where the web pages with the data of the story are, for whoever starts the server again: a path and what is
    /// there, one a line.
    func note(pages: [(path: String, what: String)]) throws {
        let lines = pages.map { "\($0.path)\t\($0.what)\n" }
        try Data(lines.joined().utf8).write(to: url.appending(path: "pages"))
    }

    /// Records that the story ran to its end.
    func finish() throws {
        try Data("The story was told to its end.\n".utf8).write(to: url.appending(path: "finished"))
        discard()
    }

    /// Removes the folder if it is temporary.
    func discard() {
        if isTemporary { try? FileManager.default.removeItem(at: url) }
    }
}
