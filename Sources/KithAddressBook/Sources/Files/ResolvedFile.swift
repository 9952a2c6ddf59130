import Foundation

/// The path of a file with all symbolic links resolved, and the folder that contains it.
struct ResolvedFile {
    /// A C string, which need not be valid UTF-8.
    let path: [CChar]
    let folder: String

    /// - Throws: `POSIXError`; `ENOENT` if there is no such file, or a link leads to none.
    init(_ path: [CChar]) throws {
        guard let resolved = realpath(path, nil) else { throw POSIXError.latest }
        defer { free(resolved) }
        let bytes = Array(UnsafeBufferPointer(start: resolved, count: strlen(resolved)))
        let folder = bytes[..<(bytes.lastIndex(of: CChar(bitPattern: UInt8(ascii: "/"))) ?? 0)]
        self.path = bytes + [0]
        self.folder = folder.isEmpty ? "/" : String(decoding: folder.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
