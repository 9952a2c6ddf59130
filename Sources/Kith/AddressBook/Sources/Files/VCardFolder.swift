import Foundation
import KithModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder of vCards as it was when it was read, file by file.
package struct VCardFolder: Sendable {
    /// What was read of one file.
    struct File: Sendable {
        let identity: FileIdentity
        /// Whether the file is sure to look different when it has changed.
        let isSettled: Bool
        let holding: CardHolding
    }

    /// By their names.
    var files: [String: File] = [:]

    var contents: SourceContents {
        let inOrder = files.sorted { $0.key < $1.key }
        return SourceContents(
            entries: inOrder.flatMap(\.value.holding.entries), faults: inOrder.flatMap(\.value.holding.faults))
    }

    var likenesses: Set<CardLikeness> { Set(files.values.lazy.flatMap(\.holding.likenesses)) }

    /// Whether a file of this name holds cards. What is hidden or temporary does not; nor do `displayname` and `color`,
    /// in which a vdir keeps its name and colour.
    package static func holdsCards(_ name: String) -> Bool {
        !name.hasPrefix(".") && name.utf8.count > 4 && name.suffix(4).lowercased() == ".vcf"
    }

    /// Leads from a file that holds several cards to one of them. No file's name has it.
    static let separator = "/"

    /// The file that a card is in.
    static func file(of reference: CardReference) -> String { String(reference.name.prefix { $0 != "/" }) }

    /// The files in a folder that hold cards.
    static func names(in path: String) throws -> [String] {
        guard let folder = opendir(path) else { throw POSIXError.latest }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if holdsCards(name) { names.append(name) }
        }
        return names
    }
}

extension VCardFolder.File {
    /// Reads a file that was found with this identity; nil if it is no longer there. If it cannot be read, that is a
    /// fault, which names it.
    init?(_ name: String, in folder: String, _ identity: FileIdentity, at now: Date) {
        do {
            let file = try ReadableFile(folder + "/" + name)
            let identity = file.identity
            var batches = CardBatches(file)
            var all: [CardBatch] = []
            while let batch = try batches.next() { all.append(batch) }
            self.init(
                identity: identity, isSettled: identity.isSettled(at: now), holding: CardHolding(all, name))
        } catch let error as POSIXError where error.code == .ENOENT {
            return nil
        } catch {
            let reason = (error as? POSIXError)?.reason ?? "\(error)"
            let sentence = "The file cannot be read: \(reason). Check its owner and mode."
            self.init(
                identity: identity, isSettled: false,
                holding: CardHolding(VCardFault(line: 1, sentence, in: name)))
        }
    }
}

extension CardHolding {
    /// The cards of a file of this name.
    init(_ batches: [CardBatch], _ name: String) {
        self.init(batches, reference: name, separator: VCardFolder.separator, name: name)
    }
}
