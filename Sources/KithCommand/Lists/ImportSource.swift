import Foundation
package import Kith

/// A file to import: its bytes and its format.
package struct ImportSource: Sendable {
    /// Its name in errors.
    package let name: String
    /// The title of the new list if the file has none.
    package let title: String
    package let format: ListFormat
    private let data: Data

    /// Opens a file by its path, or standard input as `-`. Throws a ``Failure`` if it cannot be read, or its format is
    /// unknown.
    package init(file: String, format: ListFormat?) throws {
        let named = NamedFile(file)
        let isInput = named.isStandard
        name = named.name
        let stem = URL(filePath: file).deletingPathExtension().lastPathComponent
        title = isInput || stem.isEmpty ? "Imported" : String(stem.prefix(100))
        data = try named.read(upTo: ListFormat.byteLimit + 1)
        guard format != nil || !data.isEmpty else {
            throw Failure(.usage, "format", "\(name) is empty. For an empty list, say --format: \(Self.formats).")
        }
        guard let known = format ?? ListFormat.recognised(fileName: isInput ? "" : file, content: data) else {
            throw Failure(.usage, "format", "The format of \(name) is not clear. Say --format: \(Self.formats).")
        }
        self.format = known
    }

    private static var formats: String { ListFormat.allCases.map(\.rawValue).joined(separator: ", ") }

    /// The content of the file.
    ///
    /// - Throws: ``Failure`` `faults` if none of it can be read in its format.
    package func read() throws -> ListDocument {
        do {
            return try format.read(data)
        } catch let error as ListFormat.Failure {
            throw Failure(.faults, error.code.rawValue, "\(name): \(error.sentence)")
        }
    }
}
