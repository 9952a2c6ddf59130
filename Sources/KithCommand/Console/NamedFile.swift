import Foundation
import Kith
import KithAddressBook

/// A file that the user named: its path, or `-` for standard input or output.
struct NamedFile: Sendable {
    private let path: String

    init(_ path: String) { self.path = path }

    var isStandard: Bool { path == "-" }

    /// Its name in sentences.
    var name: String { isStandard ? "standard input" : path }

    private var url: URL { URL(filePath: path.expandingHome()) }

    /// The file that is written, with links followed; nil for standard output.
    var place: URL? { isStandard ? nil : url.resolvingSymlinksInPath() }

    /// Its content, or at most the given number of bytes.
    ///
    /// - Throws: ``Failure`` if it cannot be read.
    func read(upTo limit: Int? = nil) throws -> Data {
        do {
            let handle = isStandard ? FileHandle.standardInput : try FileHandle(forReadingFrom: url)
            return try (limit.map { try handle.read(upToCount: $0) } ?? handle.readToEnd()) ?? Data()
        } catch {
            throw Self.unreadable(name)
        }
    }

    /// The file, open for reading.
    ///
    /// - Throws: ``Failure`` if it cannot be read.
    func open() throws -> FileHandle {
        if isStandard { return .standardInput }
        do { return try FileHandle(forReadingFrom: url) } catch { throw Self.unreadable(name) }
    }

    static func unreadable(_ name: String) -> Failure {
        Failure(.faults, "file", "\(name) cannot be read. Is there such a file, and is it yours to read?")
    }

    /// Replaces the file, or the target of a link, whole or not at all. A new file can be read only by its owner. An
    /// existing file keeps its mode. A pipe or a device gets the data.
    ///
    /// - Throws: ``Failure`` if it cannot be written; ``KithError`` if other users could no longer read it.
    func write(_ data: Data) throws {
        do {
            let path = url.path(percentEncoded: false)
            if path == "/dev/stdout" { return try FileHandle.standardOutput.write(contentsOf: data) }
            try PrivateFile(path).write(data)
        } catch let error as POSIXError {
            throw [.ENOSPC, .EDQUOT, .EFBIG].contains(error.code) ? diskFull : notWritten
        } catch let error as CocoaError {
            throw error.code == .fileWriteOutOfSpace ? diskFull : notWritten
        }
    }

    private var diskFull: Failure { Failure(.diskFull, "diskFull", "The disk is full: \(path) was not written.") }
    private var notWritten: Failure {
        Failure(.failed, "file", "\(path) cannot be written. Is the folder there, and yours?")
    }
}
