import Foundation

/// What the user types, and what the app says. Both may be pipes.
struct Terminal: Sendable {
    private let lines = AsyncStream<String> { continuation in
        // Reading blocks a thread, so it has one of its own.
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }

    /// Writes a text without control characters, because names and titles come from other people.
    func say(_ text: String) {
        let printable = String.UnicodeScalarView(
            text.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control })
        FileHandle.standardOutput.write(Data("\(String(printable))\n".utf8))
    }

    /// The next line that the user types; nil at the end of the input.
    func ask(_ question: String) async -> String? {
        say(question)
        for await line in lines { return line.trimmingCharacters(in: .whitespaces) }
        return nil
    }

    /// Whether the user says yes.
    func agrees(to question: String) async -> Bool { await ask("\(question) (y/n)")?.lowercased() == "y" }
}
