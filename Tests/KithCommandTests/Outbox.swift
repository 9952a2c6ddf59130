import Foundation

/// The messages that a server without gateways has written as files.
struct Outbox {
    private let folder: URL

    init(of database: URL) { folder = URL(filePath: database.path(percentEncoded: false) + ".outbox") }

    /// The codes in the messages, oldest first.
    private var codes: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { ["eml", "txt"].contains($0.pathExtension) }.sorted {
            $0.lastPathComponent < $1.lastPathComponent
        }
        .compactMap { file in
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return text.firstMatch(of: /\b(\d{6})\b[^@]/.anchorsMatchLineEndings()).map { String($0.1) }
        }
    }

    /// Waits until the message of this index is there, and returns its code.
    func code(_ index: Int) async throws -> String {
        while codes.count <= index {
            try Task.checkCancellation()
            await Task.yield()
        }
        return codes[index]
    }
}
