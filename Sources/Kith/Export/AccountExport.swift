public import Foundation
import KithModel

/// What ``KithClient/export(to:adding:)`` has written.
public struct AccountExport: Hashable, Sendable {
    /// The number of lists.
    public let lists: Int
    /// The number of records, those of the lists included.
    public let records: Int
    /// Why the sessions, the numbers and emails, and the links of lists are missing, for people; nil if they are included.
    public let missing: String?
}

extension KithClient {
    /// Writes everything of the current account to one ZIP archive: its records as JSON, its lists as iCalendar tasks, and
    /// what only the server has (sessions, numbers and emails, links of lists) if it can be reached. `README.txt` in the
    /// archive describes the files.
    ///
    /// The file appears when it is complete, and only its owner may read it. One list at a time is in memory.
    ///
    /// - Parameters:
    ///   - file: The archive, which is replaced.
    ///   - files: Further files, such as the contacts as vCards.
    /// - Returns: What was written.
    /// - Throws: ``KithError``: `diskFull`; `tooMany` beyond 4 GiB; `refused` if the file cannot be written.
    public func export(to file: URL, adding files: [ExportFile] = []) async throws -> AccountExport {
        let partial = file.deletingLastPathComponent().appending(
            path: ".\(file.lastPathComponent).\(UUID().uuidString)")
        do {
            let export = try await ArchiveWriter(client: self).write(to: partial, adding: files)
            guard rename(partial.path(percentEncoded: false), file.path(percentEncoded: false)) == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
            return export
        } catch {
            try? FileManager.default.removeItem(at: partial)
            if error is KithError || error is CancellationError { throw error }
            let code = (error as? CocoaError)?.code
            if code == .fileWriteOutOfSpace || (error as? POSIXError)?.code == .ENOSPC {
                throw KithError(.diskFull, "The disk is full: the archive was not written.", cause: error)
            }
            throw KithError(
                .refused,
                "\(file.path(percentEncoded: false)) cannot be written. Is the folder there, and yours?", cause: error)
        }
    }
}
