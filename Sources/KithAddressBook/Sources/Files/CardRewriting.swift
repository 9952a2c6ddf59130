import Foundation
import Kith
import KithCards

/// Replaces or removes one card in a file of cards without changing another byte of the file.
struct CardRewriting {
    /// The file that is written to.
    let target: ResolvedFile
    /// The identity of the file when it was read.
    let file: FileIdentity
    /// The index of the card in the file.
    let index: Int
    /// The range of its bytes.
    let place: Range<Int>
    /// The number of cards in the file.
    let count: Int
    /// Called directly before the last check whether the file has changed. Tests change the file here.
    let beforeReplacing: @Sendable () throws -> Void

    /// The number of bytes that are copied at once.
    private static let piece = 1 << 20

    /// Writes `edited` in place of the card; nil removes the card.
    ///
    /// The new file is written next to the old one, read back, synchronized, and then renamed to its place. Directly
    /// before that, the old file's identity is checked again. What remains is another program's write between this check
    /// and the rename, a matter of microseconds, and a program that opened the old file before the rename and goes on
    /// writing to it afterwards: it writes to a file that no longer has a name.
    ///
    /// - Returns: False if the file has changed since it was read.
    /// - Throws: `POSIXError`; ``KithError`` with `refused` if the new file would contain different cards when it is
    ///   read.
    func replace(_ card: VCard, with edited: VCard?) throws -> Bool {
        if card == edited { return true }
        guard access(target.path, W_OK) == 0 else { throw POSIXError.latest }
        let old = try ReadableFile(target.path)
        let new = try AtomicFile(in: target.folder)
        try new.resemble(file)
        try Self.copy(0..<place.lowerBound, of: old, to: new)
        if let edited { try new.write(edited.bytes) }
        try Self.copy(place.upperBound..<old.identity.size, of: old, to: new)
        guard old.identity == file, try isCurrent() else { return false }
        try check(new, holds: edited)
        return try new.replace(target.path) {
            try beforeReplacing()
            return try isCurrent()
        }
    }

    private func isCurrent() throws -> Bool { try FileIdentity(ofEntry: target.path) == file }

    /// Whether the file contains only the card, apart from white space and a byte order mark.
    func isAllOfTheFile() throws -> Bool {
        let old = try ReadableFile(target.path)
        let blank = BlankText(startingWith: try old.bytes(0..<4))
        let rests = [min(blank.mark, place.lowerBound)..<place.lowerBound, place.upperBound..<old.identity.size]
        for rest in rests {
            for start in stride(from: rest.lowerBound, to: rest.upperBound, by: Self.piece) {
                let bytes = try old.bytes(start..<min(start + Self.piece, rest.upperBound))
                if !blank.contains(bytes) { return false }
            }
        }
        return old.identity == file
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
