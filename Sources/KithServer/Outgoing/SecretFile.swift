import Foundation
import KithModel

/// A file that holds one password or secret, and that only its owner may read.
enum SecretFile {
    /// The secret in the file, without a line break at its end.
    ///
    /// - Throws: ``ServerError`` that names the setting, the file and what to correct.
    static func read(_ path: String, setting: String) throws(ServerError) -> String {
        func error(_ sentence: String) -> ServerError {
            ServerError(.malformed, "\(setting) names \(path), which \(sentence).")
        }
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let text = FileManager.default.contents(atPath: path).flatMap({ String(data: $0, encoding: .utf8) })
        else { throw error("cannot be read. Create it, or name another file") }
        if let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 {
            throw error("can be read by others. Let only its owner read it: “chmod 600”")
        }
        let secret = text.trimmingCharacters(in: .newlines)
        guard !secret.isEmpty, !secret.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw error("is empty, or has more than one line. Write the secret in one line")
        }
        return secret
    }
}
