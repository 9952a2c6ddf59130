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
    /// The encoding that the user has named.
    private let encoding: ListEncoding?

    /// Opens a file by its path, or standard input as `-`. Throws a ``Failure`` if it cannot be read, or its format is
    /// unknown.
    package init(file: String, format: ListFormat?, encoding: ListEncoding?) throws {
        self.encoding = encoding
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

    /// Whether the file is neither in UTF-8 nor in UTF-16 with a mark.
    private var isOfOtherEncoding: Bool {
        let isUTF16 = data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE])
        return !isUTF16 && String(validating: data, as: UTF8.self) == nil
    }

    private static var formats: String { ListFormat.allCases.map(\.rawValue).joined(separator: ", ") }

    /// The content of the file.
    ///
    /// - Throws: ``Failure`` `faults` if none of it can be read in its format, or if its encoding is not known.
    package func read() throws -> ListDocument {
        do {
            let document = try format.read(data, in: encoding ?? .unicode)
            if encoding == nil && !document.faults.isEmpty && isOfOtherEncoding {
                throw Failure(
                    .faults, "encoding",
                    """
                    \(name) is not in UTF-8. Save it as UTF-8, or say --encoding windows-1252. To import only what is in UTF-8, \
                    say --encoding utf-8.
                    """)
            }
            return document
        } catch let error as ListFormat.Failure {
            throw Failure(.faults, error.code.rawValue, "\(name): \(error.sentence)")
        }
    }
}
