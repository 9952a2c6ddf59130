package import Foundation
import KithModel

/// A gateway that writes each message to a file: `ID.eml` for an email, `ID.txt` for an SMS. The server uses it until a
/// relay or provider is configured, so that a trial needs neither.
///
/// Only the owner can read the files, because a message may hold a code. A message that is written twice is one file.
package struct FileGateway: MessageGateway {
    private let folder: URL
    private let composer: EmailComposer

    package let deadline = Duration.seconds(30)

    /// A gateway that writes into `folder`, which is created when it is first needed.
    package init(folder: URL, composer: EmailComposer) {
        self.folder = folder
        self.composer = composer
    }

    package func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let content =
                switch message.channel {
                case .email: composer.compose(message)
                case .sms: Data("To: \(message.recipient)\n\n\(message.text)\n".utf8)
                }
            let file = folder.appending(path: Self.name(of: message))
            try OwnerOnlyFile.write(content, to: file.path(percentEncoded: false))
            return .accepted
        } catch {
            return .broken("\(folder.path(percentEncoded: false)) cannot be written: \(error)")
        }
    }

    package func rest() async {}

    /// Deletes the files that are older than ``MessageLimits/filesKept``, and the oldest of more than
    /// ``MessageLimits/files``.
    ///
    /// - Returns: The number of deleted files.
    @discardableResult
    package func purge(at now: Date) throws -> Int {
        let path = folder.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        let found = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
        let files = try found.filter { Self.isOurs($0.lastPathComponent) }.map { file in
            let values = try file.resourceValues(forKeys: [.contentModificationDateKey])
            return (name: file.lastPathComponent, written: values.contentModificationDate ?? now)
        }
        let old = Self.old(files, at: now)
        for name in old { try FileManager.default.removeItem(at: folder.appending(path: name)) }
        return old.count
    }

    /// The names of the files to delete.
    package static func old(_ files: [(name: String, written: Date)], at now: Date) -> [String] {
        let newestFirst = files.sorted { ($0.written, $0.name) > ($1.written, $1.name) }
        let start = now.addingTimeInterval(-(MessageLimits.filesKept / .seconds(1)))
        return newestFirst.enumerated().filter { $0.offset >= MessageLimits.files || $0.element.written < start }
            .map(\.element.name)
    }

    /// Whether a file of this name was written by a gateway. Other files in the folder are left alone.
    private static func isOurs(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let endings = [["eml"], ["txt"], ["eml", "draft"], ["txt", "draft"]]
        return MessageID(parts[0]) != nil && endings.contains(Array(parts.dropFirst()))
    }

    /// The name of a message's file.
    package static func name(of message: StoredMessage) -> String {
        name(of: message.id, message.channel)
    }

    /// The name of the file of the message with this id.
    package static func name(of id: MessageID, _ channel: OutgoingMessage.Channel) -> String {
        "\(id).\(channel == .email ? "eml" : "txt")"
    }
}
