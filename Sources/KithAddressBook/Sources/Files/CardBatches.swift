import KithCards

/// The batches of a file, one after the other.
struct CardBatches: ~Copyable {
    let file: ReadableFile
    private var reader = VCardReader()
    private var end = 0
    private var isFinished = false

    /// The number of bytes that are read at once.
    private static let piece = 1 << 20

    init(_ file: consuming ReadableFile) { self.file = file }

    /// The next batch; nil after the last.
    mutating func next() throws -> CardBatch? {
        guard !isFinished else { return nil }
        var batch = CardBatch(startingAt: end)
        let bytes = try file.read(Self.piece)
        if bytes.isEmpty {
            reader.finish { batch.add($0) }
            isFinished = true
        } else {
            reader.feed(bytes) { batch.add($0) }
        }
        end = batch.end
        return batch
    }
}
