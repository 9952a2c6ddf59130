import Foundation
package import KithModel

extension VCardFileSource {
    /// Adds cards behind those that are there. All of them are in the file afterwards, or none.
    ///
    /// The file is written anew beside itself and put in its place, rather than
    /// appended to: whoever is killed while appending leaves half a card, which
    /// swallows the next one. Its mode and every byte that was in it stay.
    package func add(_ cards: [VCard]) async throws -> [CardReference] {
        // Where a link leads to the file, the link is to stay.
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let folder = place.deletingLastPathComponent().path
        let cards = cards.map { (vCard: $0, likeness: CardLikeness($0)) }
        do {
            return try await withLock(on: folder) {
                for _ in 0..<Self.attempts {
                    let reading = try await read()
                    var known = reading.likenesses
                    let new = cards.filter { known.insert($0.likeness).inserted }
                    if new.isEmpty { return [] }
                    if try add(new.map(\.vCard.bytes), to: reading.file, called: place.lastPathComponent, in: folder) {
                        var names = reading.names
                        return new.map { CardReference(names.name($0.likeness.key)) }
                    }
                }
                throw KithError(.busy, "Other programs keep changing \(path), so nothing was added. Try again.")
            }
        } catch let error as POSIXError {
            throw KithError(writing: path, error)
        }
    }

    /// - Returns: False if the file is no longer the one that was read.
    private func add(
        _ cards: [[UInt8]], to identity: FileIdentity, called name: String, in folder: String
    ) throws -> Bool {
        guard access(path, W_OK) == 0 else { throw POSIXError.latest }
        let file = try ReadableFile(path)
        let new = try FileInMaking(in: folder)
        try new.resemble(identity)
        guard try !([file.bytes(0..<4)] + cards).contains(where: Self.isUTF16) else {
            throw KithError(.invalid, "\(path) or the card is in UTF-16. Add the card to a folder of vCards instead.")
        }
        var last: UInt8?
        while case let bytes = try file.read(1 << 20), !bytes.isEmpty {
            try Task.checkCancellation()
            try new.write(bytes)
            last = bytes.last
        }
        for card in cards {
            if let last, last != 10, last != 13 { try new.write([13, 10]) }
            try new.write(card)
            last = card.last
        }
        guard file.identity == identity, FileIdentity(at: path) == identity else { return false }
        try new.replace(name)
        return true
    }

    private static func isUTF16(_ start: [UInt8]) -> Bool {
        start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.prefix(2).contains(0)
    }
}
