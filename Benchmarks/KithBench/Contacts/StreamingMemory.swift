import Foundation
import KithCards
import KithModel

/// The peak memory of a process that reads a stream much larger than its memory should be.
struct StreamingMemory: Codable {
    /// The argument that makes this program the measured process.
    static let argument = "--stream"

    let bytes: Int
    let cards: Int
    let largestCard: Int
    let peakBefore: Int
    let peakAfter: Int

    static func measure(into table: Table) throws {
        let reader = Process()
        reader.executableURL = URL(filePath: CommandLine.arguments[0])
        reader.arguments = [argument]
        let (input, output) = (Pipe(), Pipe())
        (reader.standardInput, reader.standardOutput) = (input, output)
        try reader.run()
        try writeGigabyte(to: input.fileHandleForWriting)
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        reader.waitUntilExit()
        let memory = try JSONDecoder().decode(StreamingMemory.self, from: answer)
        let more = memory.peakAfter - memory.peakBefore
        table.row(
            "a stream of \(megabytes(memory.bytes)), \(memory.cards) cards: peak memory", megabytes(memory.peakAfter),
            megabytes(memory.largestCard), "")
        table.row(
            "  without what the process had before the first card", megabytes(more), megabytes(memory.largestCard),
            String(format: "%.2f", Double(more) / Double(memory.largestCard)))
    }

    /// Writes a gigabyte: repeatedly 500 cards and one card with a large photo.
    private static func writeGigabyte(to file: FileHandle) throws {
        let photos = CardFile(hasPhotos: true)
        let round = Data(photos.cards(500) + photos.largeCard(photoBytes: 3_000_000))
        for _ in 0...1_000_000_000 / round.count { try file.write(contentsOf: round) }
        try file.close()
    }

    /// Reads cards from standard input to the end, and prints the memory that this took.
    static func measureHere() throws {
        let before = peak
        var reader = VCardReader()
        var (bytes, cards, largest) = (0, 0, 0)
        func take(_ element: VCardReader.Element) {
            guard case .card(let card) = element else { return }
            cards += 1
            largest = max(largest, card.bytes.count)
        }
        while let piece = try FileHandle.standardInput.read(upToCount: 64 * 1024), !piece.isEmpty {
            bytes += piece.count
            reader.feed(piece, take)
        }
        reader.finish(take)
        let memory = StreamingMemory(
            bytes: bytes, cards: cards, largestCard: largest, peakBefore: before, peakAfter: peak)
        print(String(decoding: try JSONEncoder().encode(memory), as: UTF8.self))
    }

    /// The peak memory of the process, in bytes.
    private static var peak: Int {
        #if os(Linux)
            // `getrusage` would also count the memory of the process before its `exec`.
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            return (Int(line.filter(\.isNumber)) ?? 0) * 1024
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }

    private static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
