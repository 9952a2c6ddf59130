import Foundation
import KithModel

/// The file beside a database file that says which incarnation of it was the last.
///
/// A database file that does not know its own last incarnation has been
/// replaced by an older one. It holds one line, or two while the incarnation is
/// being changed.
struct Incarnation: Sendable {
    private let url: URL

    init(beside path: String) {
        self.url = URL(filePath: path + ".incarnation")
    }

    /// The incarnations that the database may have; none if the file is not there.
    func read() -> [String] {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init)
    }

    /// Replaces the file at once, so that it is never half written.
    func write(_ lines: [String]) throws {
        do {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url, options: .atomic)
        } catch {
            throw ServerError(
                .busy, "“\(url.lastPathComponent)” beside the database cannot be written. Make its folder writable.",
                cause: error)
        }
    }
}
