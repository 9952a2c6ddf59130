package import Foundation
package import KithCards

/// The cards of a file, in batches, because a file of vCards can have any size.
package struct CardStream {
    /// Some of the cards, and the errors between them.
    package struct Batch {
        package var cards: [VCard] = []
        package var faults: [CardFormat.Fault] = []
        /// The size of the cards in bytes.
        fileprivate var bytes = 0
    }

    /// The size of a batch in bytes.
    package static let batch = 64 << 20
    /// The size of the largest JSContact file in bytes. Such a file has to be read to its end before it can be parsed.
    package static let largestJSContact = 64 << 20
    /// The number of bytes that one call reads.
    private static let piece = 1 << 20

    private let file: FileHandle
    private let name: String
    private let format: CardFormat
    private let batch: Int
    private let largestJSContact: Int
    private var reader = VCardReader()
    /// The bytes that were read to recognise the format.
    private var start: Data
    private var isFinished = false

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - file: The open file.
    ///   - name: Its name in sentences.
    ///   - format: Its format; nil to detect it.
    ///   - batch: Bytes of cards in a batch.
    ///   - largestJSContact: Bytes of the largest file in JSContact.
    /// - Throws: ``Failure`` if it cannot be read.
    package init(
        _ file: FileHandle, named name: String, format: CardFormat? = nil, batch: Int = batch,
        largestJSContact: Int = largestJSContact
    ) throws {
        (self.file, self.name, self.batch, self.largestJSContact) = (file, name, batch, largestJSContact)
        start = try Self.read(file, named: name)
        // A read from a pipe may return only blanks.
        while format == nil, !start.isEmpty, start.allSatisfy(CardFormat.isBlank), start.count < Self.piece,
            case let more = try Self.read(file, named: name), !more.isEmpty
        {
            start += more
        }
        self.format = format ?? CardFormat(recognising: start)
    }

    /// The next batch; nil after the last.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, or is too large.
    package mutating func next() throws -> Batch? {
        guard !isFinished else { return nil }
        var batch = Batch()
        if format == .jscontact {
            isFinished = true
            (batch.cards, batch.faults) = format.read(try whole())
            return batch
        }
        while !isFinished, batch.bytes < self.batch, batch.faults.count < Self.mostFaults {
            let bytes = try piece()
            if bytes.isEmpty {
                reader.finish { batch.add($0) }
                isFinished = true
            } else {
                reader.feed(bytes) { batch.add($0) }
            }
        }
        return batch
    }

    /// The number of faults after which a batch ends, even if it has few cards.
    private static let mostFaults = 1_000

    private mutating func piece() throws -> Data {
        if start.isEmpty { return try Self.read(file, named: name) }
        defer { start = Data() }
        return start
    }

    private mutating func whole() throws -> Data {
        var whole = Data()
        while case let bytes = try piece(), !bytes.isEmpty {
            whole += bytes
            guard whole.count <= largestJSContact else {
                throw Failure(
                    .faults, "tooLarge",
                    "\(name) has more than \(largestJSContact >> 20) MiB of JSContact. Part it, or write it as vCards.")
            }
        }
        return whole
    }

    private static func read(_ file: FileHandle, named name: String) throws -> Data {
        do { return try file.read(upToCount: piece) ?? Data() } catch { throw NamedFile.unreadable(name) }
    }
}

extension CardStream.Batch {
    fileprivate mutating func add(_ element: VCardReader.Element) {
        switch element {
        case .card(let card):
            cards.append(card)
            bytes += card.bytes.count
        case .fault(let fault): faults.append(CardFormat.Fault(place: fault.line, reason: fault.sentence))
        case .between: break
        }
    }
}
