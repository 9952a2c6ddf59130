import Foundation
import KithCards
import KithModel

/// The content of a folder of vCards when it was read, by file.
package struct VCardFolder: Sendable {
    /// The content of one file.
    struct File: Sendable {
        /// The prefix of references to the file.
        let reference: String
        /// Nil if the file cannot be seen.
        let identity: FileIdentity?
        /// Whether every later change of the file also changes its identity.
        let isSettled: Bool
        let holding: CardHolding
    }

    /// An entry of a folder whose name is that of a file with cards.
    struct Entry: Sendable {
        let name: FileName
        /// The prefix of references to the file.
        let reference: String
        let identity: FileIdentity
    }

    var files: [FileName: File] = [:]

    var contents: SourceContents {
        let inOrder = files.sorted { $0.key < $1.key }
        var contents = SourceContents(
            entries: inOrder.flatMap(\.value.holding.entries),
            faults: inOrder.reduce(into: []) { $0.append($1.value.holding.faults) })
        contents.unreadableFiles = files.values.count { $0.identity == nil }
        return contents
    }

    /// The cards, with what decides whether a card to be added is already there.
    var versions: [(similarity: CardSimilarity, card: Card)] { files.values.flatMap(\.holding.versions) }

    /// Whether a file of this name contains cards.
    package static func holdsCards(_ name: String) -> Bool { FileName(Array(name.utf8)).holdsCards }

    /// The names of the files with cards in a folder, in order.
    static func names(in path: String) throws -> [FileName] {
        guard let folder = opendir(path) else { throw POSIXError.latest }
        defer { closedir(folder) }
        var names: [FileName] = []
        errno = 0
        while let entry = readdir(folder) {
            let bytes = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: 1) {
                    Array(
                        UnsafeBufferPointer(
                            start: $0, count: strlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))))
                }
            }
            let name = FileName(bytes)
            if name.holdsCards { names.append(name) }
            errno = 0
        }
        if errno != 0 { throw POSIXError.latest }
        return names.sorted()
    }

    /// The entries with these names. An entry that exists but cannot be seen is stored as a file with a fault.
    mutating func look(at names: [FileName], in path: String) -> [Entry] {
        // Different names can be equal as text only if they contain non-ASCII letters.
        var texts: Set<String>? = names.allSatisfy { $0.bytes.allSatisfy { $0 < 0x80 } } ? nil : []
        return names.compactMap { name in
            let reference = name.reference(isTaken: texts?.insert(name.shown).inserted == false)
            do {
                guard let identity = try FileIdentity(ofEntry: name.path(in: path)) else { return nil }
                return identity.isPlainFile ? Entry(name: name, reference: reference, identity: identity) : nil
            } catch {
                files[name] = File(name, reference, error)
                return nil
            }
        }
    }
}

extension VCardFolder.File {
    /// Reads a file; nil if it no longer exists. If it cannot be read, the result is a fault with the file's name.
    init?(_ entry: VCardFolder.Entry, in folder: String, at now: Date) {
        do {
            let file = try ReadableFile(entry.name.path(in: folder))
            let identity = file.identity
            var batches = CardBatches(file)
            var all: [CardBatch] = []
            while let batch = try batches.next() { all.append(batch) }
            self.init(entry.name, entry.reference, identity, all, at: now)
        } catch let error as POSIXError where error.code == .ENOENT {
            return nil
        } catch {
            self.init(entry.name, entry.reference, error)
        }
    }

    /// The cards of a file, already split.
    init(_ name: FileName, _ reference: String, _ identity: FileIdentity, _ batches: [CardBatch], at now: Date) {
        self.init(
            reference: reference, identity: identity, isSettled: identity.isSettled(at: now),
            holding: CardHolding(batches, reference: reference, separator: FileName.separator, name: name.shown))
    }

    /// A file that cannot be read. Each load tries it again.
    init(_ name: FileName, _ reference: String, _ error: any Error) {
        let sentence =
            switch (error as? POSIXError)?.code {
            case .ENOENT?, .ELOOP?: "It is a link that leads to no file. Repair the link, or remove it."
            case let code?: "The file cannot be read: \(POSIXError(code).reason). Check its owner and mode."
            case nil: "The file cannot be read: \(error)."
            }
        self.init(
            reference: reference, identity: nil, isSettled: false,
            holding: CardHolding(SourceFault(line: 1, sentence, in: name.shown)))
    }
}

extension CardHolding {
    /// The card at an index of the same file; nil if it has moved.
    func vCard(_ index: Int, in file: borrowing ReadableFile) -> VCard? {
        guard let bytes = try? file.bytes(place(of: index)) else { return nil }
        return vCard(index, from: bytes)
    }
}
