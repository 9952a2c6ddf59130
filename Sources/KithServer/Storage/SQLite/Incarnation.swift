import Foundation
import KithModel

/// The file beside a database file that stores the database's last incarnation.
///
/// A database file that does not contain this incarnation has been replaced by an older one. The file has one line, or
/// two while the incarnation is being changed.
struct Incarnation: Sendable {
    private let url: URL

    init(beside path: String) {
        self.url = URL(filePath: path + ".incarnation")
    }

    /// Its name without the folder.
    var name: String { url.lastPathComponent }

    /// The incarnations that the database may have; none if the file does not exist.
    func read() -> [String] {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init)
    }

    /// Replaces the file atomically, so that it is never half written. It is durable before the database is changed.
    func write(_ lines: [String]) throws {
        do {
            let content = Data((lines.joined(separator: "\n") + "\n").utf8)
            try OwnerOnlyFile.write(content, to: url.path(percentEncoded: false))
        } catch {
            throw ServerError(
                .busy,
                "“\(name)” beside the database cannot be written. Make its folder writable, and make room on its disk.",
                cause: error)
        }
    }
}
