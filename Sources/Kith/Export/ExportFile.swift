public import Foundation

/// A file that an app adds to the archive of ``KithClient/export(to:adding:)``.
public struct ExportFile: Hashable, Sendable {
    /// The path in the archive, with slashes: `contacts/address-book.vcf`.
    public var path: String
    /// The content.
    public var data: Data

    /// Creates a file with this path and this content.
    public init(path: String, data: Data) { (self.path, self.data) = (path, data) }
}
