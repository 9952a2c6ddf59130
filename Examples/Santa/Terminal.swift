import Foundation

/// What the user types, and what the app says. Both may be pipes.
struct Terminal: Sendable {
    /// Writes a text without control characters, because names and titles come from other people.
    func say(_ text: String) {
        let printable = String.UnicodeScalarView(
            text.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control })
        FileHandle.standardOutput.write(Data("\(String(printable))\n".utf8))
    }

    /// The next line that the user types; nil at the end of the input.
    func ask(_ question: String) async -> String? {
        say(question)
        return await withCheckedContinuation { answer in
            // Reading blocks its thread, which may be none of those that run the tasks.
            Thread.detachNewThread { answer.resume(returning: readLine()?.trimmingCharacters(in: .whitespaces)) }
        }
    }

    /// Whether the user says yes.
    func agrees(to question: String) async -> Bool { await ask("\(question) (y/n)")?.lowercased() == "y" }
}
