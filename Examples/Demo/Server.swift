import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A real server: `kith serve` in its own process.
struct Server: Sendable {
    /// The program `kith`.
    let program: URL
    let database: URL
    /// The file for the program's standard error.
    let log: URL
    let say: Narrator

    /// Starts the server, calls `work` with its address, and kills it without a chance to save, close or report
    /// anything.
    func up<Value: Sendable>(port: Int, _ work: (URL) async throws -> Value) async throws -> Value {
        let arguments = [
            "serve", "--host", "127.0.0.1", "--port", String(port), "--database", database.path(percentEncoded: false),
        ]
        let outcome = try await Subprocess.run(
            configuration(arguments), input: .none, output: .sequence, error: try errors()
        ) { process in
            let url = try await address(in: process.standardOutput)
            try say("server", "serves at \(url.absoluteString) as process \(process.processIdentifier)")
            let value = try await work(url)
            try process.send(signal: .kill)
            return value
        }
        try say("server", "is killed (SIGKILL)")
        return outcome.closureResult
    }

    /// The output of an operator's command, `kith admin …`, for the server's database.
    func admin(_ words: String...) async throws -> String {
        let arguments = ["admin"] + words + ["--database", database.path(percentEncoded: false)]
        let outcome = try await Subprocess.run(
            configuration(arguments), output: .string(limit: 1 << 20), error: try errors())
        guard outcome.terminationStatus.isSuccess else {
            throw StoryError(
                "“kith \(arguments.joined(separator: " "))” failed. It says why in \(log.path(percentEncoded: false)).")
        }
        return outcome.standardOutput.trimmingCharacters(in: .newlines)
    }

    private func configuration(_ arguments: [String]) -> Configuration {
        // Settings of Kith in this environment are for another server.
        let variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KITH_") }
            .map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        var options = PlatformOptions()
        options.processGroupID = 0  // Ctrl-C at the terminal reaches only the demonstration, which ends the server.
        return Configuration(
            executable: .path(FilePath(program.path(percentEncoded: false))), arguments: Arguments(arguments),
            environment: .custom(Dictionary(variables) { first, _ in first }), platformOptions: options)
    }

    private func errors() throws -> FileDescriptorOutput {
        let file = try FileDescriptor.open(
            FilePath(log.path(percentEncoded: false)), .writeOnly, options: [.create, .append],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        return .fileDescriptor(file, closeAfterSpawningProcess: true)
    }

    /// Reads the address from the line “Kith serves at http://127.0.0.1:PORT”.
    private func address(in output: SubprocessOutputSequence) async throws -> URL {
        for try await line in output.strings() {
            if let url = line.firstMatch(of: /Kith serves at (http:\S+)/).flatMap({ URL(string: String($0.1)) }) {
                return url
            }
        }
        throw StoryError("The server did not start. It says why in \(log.path(percentEncoded: false)).")
    }
}
