public import Foundation

/// The result of ``KithClient/export(to:adding:)``.
public struct AccountExport: Hashable, Sendable {
    /// The number of lists.
    public let lists: Int
    /// The number of records, including those of the lists.
    public let records: Int
    /// The number of people of the network, who are in the archive as vCards.
    public let people: Int
    /// Why the archive lacks something that only the server has, as a sentence for people; nil if it contains everything.
    public let missingReason: String?
}

extension KithClient {
    /// Writes all data of the current account to one ZIP archive: its records as JSON, its lists as tasks and as JSON, and the
    /// people of its network as vCards. If the server can be reached, also the data that only the server has: sessions, ways
    /// to sign in (numbers and emails, identities at issuers, passkeys without their keys, how many recovery codes are
    /// left), links of lists, and the newest details of people. `README.txt` in the archive describes the files.
    ///
    /// There is a request for each own list, and for each person with new details. If that is more than the server allows
    /// at once, the export waits.
    ///
    /// The file appears when it is complete, and only its owner may read it. The export holds one list at a time in memory.
    ///
    /// - Parameters:
    ///   - file: The location of the archive. An existing file is replaced; of a link, its target.
    ///   - files: Further files, such as the cards of an address book.
    /// - Returns: What was written.
    /// - Throws: ``KithError``: `diskFull`; `tooMany` beyond 4 GiB or 65,535 files; `refused` if the file cannot be written, or is no
    ///   plain file, or if another account became the current one meanwhile. An existing file then stays.
    ///   `CancellationError` if the task is cancelled.
    public func export(to file: URL, adding files: [ExportFile] = []) async throws -> AccountExport {
        let file = file.resolvingSymlinksInPath()
        let unfinished = UnfinishedArchive(of: file)
        let partial = unfinished.url
        do {
            try Self.checkIsPlain(file)
            unfinished.removeAbandoned()
            let export = try await replica.forCurrentAccount(isExact: true) {
                var writer = ArchiveWriter(self)
                return try await writer.write(to: partial, adding: files)
            }
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
                "\(file.path(percentEncoded: false)) cannot be written. Does the folder exist, and may you write to it?",
                cause: error)
        }
    }

    /// Throws if there is something other than a plain file, which would be replaced.
    private static func checkIsPlain(_ file: URL) throws {
        let path = file.path(percentEncoded: false)
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard let type, type != .typeRegular else { return }
        throw KithError(.refused, "\(path) is no plain file. An archive is written to a plain file.")
    }
}
