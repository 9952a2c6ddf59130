package import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// What a program has left behind that ran to its end in a process of its own.
package struct FinishedProcess: Sendable {
    /// The most that is taken of each output, in bytes. A program that says more is an error.
    private static let outputLimit = 64 << 20

    /// Its exit status, or 128 and the signal that ended it.
    package let status: Int32
    /// Its standard output.
    package let output: Data
    /// Its standard error.
    package let complaints: Data

    /// Runs `program` to its end.
    ///
    /// - Parameters:
    ///   - program: The executable.
    ///   - arguments: What it is told.
    ///   - environment: Its variables; nil gives it those of this process.
    ///   - input: The file that it reads as its standard input; nil gives it none.
    /// - Throws: What the system says if the program cannot be started or the file not be read.
    package init(
        _ program: URL, _ arguments: [String], environment: [String: String]? = nil, input: URL? = nil
    ) async throws {
        let standardInput = try FileDescriptor.open(
            FilePath(input?.path(percentEncoded: false) ?? "/dev/null"), .readOnly)
        let result = try await run(
            .path(FilePath(program.path(percentEncoded: false))), arguments: Arguments(arguments),
            environment: environment.map(Environment.variables) ?? .inherit,
            input: .fileDescriptor(standardInput, closeAfterSpawningProcess: true),
            output: .bytes(limit: Self.outputLimit), error: .bytes(limit: Self.outputLimit))
        status = result.terminationStatus.shellStatus
        output = Data(result.standardOutput)
        complaints = Data(result.standardError)
    }
}
