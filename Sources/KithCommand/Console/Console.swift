import Foundation
import KithModel

/// The console for answers, notes and questions: the standard streams and their properties.
package struct Console: Sendable {
    /// Whether answers are JSON. If they are, standard output contains only JSON.
    package let isJSON: Bool
    package let hasColour: Bool
    /// Whether a person can see progress and answer questions.
    package let errorIsTerminal: Bool
    package let inputIsTerminal: Bool
    /// Whether a person sees what is written to standard output.
    package let outputIsTerminal: Bool
    /// The width of standard output in columns: from `COLUMNS`, or else from the terminal; nil if neither is known, for
    /// example in a pipe.
    package let width: Int?

    package init(isJSON: Bool, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.isJSON = isJSON
        let isDumb = environment["TERM"] == "dumb"
        hasColour = isatty(1) == 1 && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
        errorIsTerminal = isatty(2) == 1 && !isDumb
        inputIsTerminal = isatty(0) == 1
        outputIsTerminal = isatty(1) == 1 && !isDumb
        var size = winsize()
        let terminal = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
        width = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? terminal
    }

    /// Writes an answer to standard output, as text or as JSON.
    package func say(_ answer: CommandAnswer) throws {
        if let content = answer.content { return try write(isJSON ? Self.line(of: content) : content) }
        let lines = isJSON ? [try answer.shape.line()] : answer.lines(colour: hasColour)
        try write(Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Writes the answer of a command that has done its work.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written. It says that the work is done, unless the answer is the
    ///   content of a file.
    package func conclude(with answer: CommandAnswer) throws {
        do {
            try say(answer)
        } catch let failure as Failure where failure.code == Self.notWritten && answer.content == nil {
            throw Failure(
                failure.status, failure.code,
                "The command is done, but its answer could not be written to standard output.")
        }
    }

    /// Writes a text for people to standard output, such as the help.
    func say(_ text: String) throws { try write(Data((text + "\n").utf8)) }

    /// The code of the failure that standard output cannot be written.
    private static let notWritten = "output"

    /// A file's content on one line, for a program that wants JSON.
    ///
    /// - Throws: ``Failure`` `noJSON` if it is not JSON.
    private static func line(of content: Data) throws -> Data {
        guard let value = try? JSONDecoder().decode(FieldValue.self, from: content) else {
            throw Failure(
                .usage, "noJSON",
                "This writes a file to standard output, and has no JSON. Leave out --json, or name a file to write to.")
        }
        return Data((CanonicalForm.text(value) + "\n").utf8)
    }

    /// Writes bytes to standard output unchanged.
    private func write(_ data: Data) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            throw Failure(.failed, Self.notWritten, "Standard output cannot be written. Where does it go to?")
        }
    }

    /// Writes a note to standard error, apart from the answer.
    package func note(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Reports why the command failed: a sentence on standard error, or an object with `--json`.
    package func complain(_ failure: Failure) {
        if isJSON, let line = try? failure.shape.line() {
            note(line)
        } else {
            note(
                TextStyle.warning.applied(to: "kith: ", colour: errorIsTerminal && hasColour)
                    + failure.sentence.printable)
            for candidate in failure.candidates { note("  " + candidate.printable) }
        }
    }

    /// Whether there is a person to answer questions.
    package var canAsk: Bool { inputIsTerminal && errorIsTerminal }

    /// Asks for one of several words; the first letter is enough. Returns nil for no answer or another word.
    package func choose(_ question: String, _ words: [String]) -> String? {
        try? FileHandle.standardError.write(
            contentsOf: Data("\(question.printable) [\(words.joined(separator: "/"))] ".utf8))
        guard let answer = readLine()?.lowercased(), !answer.isEmpty else { return nil }
        return words.first { $0.hasPrefix(answer) }
    }

    /// Asks for a text. nil if the answer is empty.
    package func ask(_ question: String) -> String? {
        try? FileHandle.standardError.write(contentsOf: Data("\(question.printable) ".utf8))
        return readLine().flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Asks whether to continue. Without a terminal, this fails with the advice to use `--yes` or one of `flags`.
    package func confirm(_ question: String, given yes: Bool, or flags: String? = nil) throws {
        if yes { return }
        guard canAsk else {
            let others = flags.map { ", or with \($0) to say what becomes of the data here" } ?? ""
            throw Failure(
                .usage, "unconfirmed", question + " Nothing was changed. Repeat the command with --yes if so\(others).")
        }
        try? FileHandle.standardError.write(contentsOf: Data((question + " [y/N] ").utf8))
        guard let answer = readLine()?.lowercased(), answer == "y" || answer == "yes" else {
            throw Failure(.failed, "unconfirmed", "Nothing was changed.")
        }
    }

    /// Asks for a text without showing it on the screen, such as a password; nil if there is no terminal.
    package func secret(_ question: String) -> String? {
        var terminal = termios()
        guard inputIsTerminal && errorIsTerminal, tcgetattr(0, &terminal) == 0 else { return nil }
        var silent = terminal
        silent.c_lflag &= ~tcflag_t(ECHO)
        let end = EndSignal { [terminal] _ in
            // If the user interrupts here, the terminal's settings are restored.
            withUnsafePointer(to: terminal) { _ = tcsetattr(0, TCSAFLUSH, $0) }
            _exit(130)
        }
        tcsetattr(0, TCSAFLUSH, &silent)
        defer {
            tcsetattr(0, TCSAFLUSH, &terminal)
            end.cancel()
            note("")
        }
        try? FileHandle.standardError.write(contentsOf: Data(question.utf8))
        return readLine()
    }

    /// Does `work`. If it takes longer than a second, shows `what` on a terminal, and updates it each second.
    package func progress<Done>(
        _ what: @autoclosure @escaping @Sendable () -> String, _ work: () async throws -> Done
    ) async throws -> Done {
        guard errorIsTerminal else { return try await work() }
        let display = Task { await Self.showTime(of: what) }
        do {
            let done = try await work()
            display.cancel()
            await display.value
            return done
        } catch {
            display.cancel()
            await display.value
            throw error
        }
    }

    private static func showTime(of what: @Sendable () -> String) async {
        let start = ContinuousClock.now
        var isShown = false
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let seconds = (ContinuousClock.now - start).components.seconds
            try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(what().printable) … \(seconds) s".utf8))
            isShown = true
        }
        if isShown { try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8)) }
    }
}
