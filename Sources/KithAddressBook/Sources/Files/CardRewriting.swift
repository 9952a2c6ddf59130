import Foundation
import Kith
import KithCards

/// Replaces or removes one card in a file of cards without changing another byte of the file.
struct CardRewriting {
    /// The path of the file, with symbolic links resolved, as a C string.
    let path: [CChar]
    /// The folder of the file.
    let folder: String
    /// The identity of the file when it was read.
    let file: FileIdentity
    /// The index of the card in the file.
    let index: Int
    /// The range of its bytes.
    let place: Range<Int>
    /// The number of cards in the file.
    let count: Int

    init(path: [CChar], folder: String, file: FileIdentity, index: Int, place: Range<Int>, count: Int) {
        (self.path, self.folder, self.file) = (path, folder, file)
        (self.index, self.place, self.count) = (index, place, count)
    }

    init(path: String, file: FileIdentity, index: Int, place: Range<Int>, count: Int) {
        self.init(
            path: Array(path.utf8CString), folder: URL(fileURLWithPath: path).deletingLastPathComponent().path,
            file: file, index: index, place: place, count: count)
    }

    /// The number of bytes that are copied at once.
    private static let piece = 1 << 20

    /// Writes `edited` in place of the card; nil removes the card.
    ///
    /// The new file is written next to the old one, read back, and then renamed to its place.
    ///
    /// - Returns: False if the file has changed since it was read.
    /// - Throws: `POSIXError`; ``KithError`` with `refused` if the new file would contain different cards when it is
    ///   read.
    func replace(_ card: VCard, with edited: VCard?) throws -> Bool {
        if card == edited { return true }
        guard access(path, W_OK) == 0 else { throw POSIXError.latest }
        let old = try ReadableFile(path)
        let new = try AtomicFile(in: folder)
        try new.resemble(file)
        try Self.copy(0..<place.lowerBound, of: old, to: new)
        if let edited { try new.write(edited.bytes) }
        try Self.copy(place.upperBound..<old.identity.size, of: old, to: new)
        guard old.identity == file, try FileIdentity(ofEntry: path) == file else { return false }
        try check(new, holds: edited)
        try new.replace(path)
        return true
    }

    private static func copy(
        _ range: Range<Int>, of file: borrowing ReadableFile, to new: borrowing AtomicFile
    ) throws {
        var place = range.lowerBound
        while place < range.upperBound {
            try Task.checkCancellation()
            let bytes = try file.bytes(place..<min(place + piece, range.upperBound))
            if bytes.isEmpty { return }
            try new.write(bytes)
            place += bytes.count
        }
    }

    /// Reads the new file back. A card without a proper end could absorb the next one.
    private func check(_ new: borrowing AtomicFile, holds edited: VCard?) throws {
        var (found, isRight) = (0, true)
        try new.forEachCard { card in
            if let edited, found == index { isRight = card == edited }
            found += 1
        }
        guard isRight, found == (edited == nil ? count - 1 : count) else {
            throw KithError(
                .refused,
                "With this edit, the file would no longer hold the same cards: one of them does not end properly. Nothing "
                    + "was written. End it with END:VCARD and try again.")
        }
    }
}
