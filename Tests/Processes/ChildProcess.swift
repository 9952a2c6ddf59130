package import Foundation
import Subprocess
import Synchronization

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A program in a process of its own, so that it can really be killed.
///
/// Its standard output comes line by line as ``lines``; its standard error goes into
/// a file. It has a process group of its own: Ctrl-C at the terminal does not reach it.
/// Killing and waiting are for the one who started it: a child that is let go of is
/// killed.
package final class ChildProcess: Sendable {
    /// The lines of its standard output. They end when the process has; the last may be cut off if it was killed.
    package let lines: AsyncStream<String>
    /// The number that the system gave the process.
    package let id: Int32
    private let status = Status()
    private let ending: Task<Int32, Never>

    /// How it ended; nil as long as it runs.
    private final class Status: Sendable {
        let number = Mutex<Int32?>(nil)
    }

    /// Starts `program`.
    ///
    /// - Parameters:
    ///   - program: The executable.
    ///   - arguments: What it is told.
    ///   - environment: Its variables; nil gives it those of this process that are not Kith's settings.
    ///   - input: The file or the named pipe that it reads as its standard input; nil gives it none.
    ///   - complaints: The file that its standard error is added to; nil throws that away.
    ///   - lineSeparator: What stands between the lines of its output.
    /// - Throws: What the system says if the program cannot be started; `CancellationError` if the calling task is cancelled
    ///   meanwhile. Then no process is left.
    package init(
        _ program: URL, _ arguments: [String], environment: [String: String]? = nil, input: URL? = nil,
        complaints: URL?, lineSeparator: Unicode.Scalar = "\n"
    ) async throws {
        // What is set here for `kith serve` is meant for another server than ours.
        let variables = environment ?? ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KITH_") }
        var options = PlatformOptions()
        options.processGroupID = 0
        let configuration = Configuration(
            executable: .path(FilePath(program.path(percentEncoded: false))), arguments: Arguments(arguments),
            environment: .variables(variables), platformOptions: options)
        let errors = try FileDescriptor.open(
            FilePath(complaints?.path(percentEncoded: false) ?? "/dev/null"), .writeOnly, options: [.create, .append],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        let standardInput = try FileDescriptor.open(
            FilePath(input?.path(percentEncoded: false) ?? "/dev/null"), .readOnly)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let (starting, start) = AsyncStream.makeStream(of: Result<Int32, any Error>.self)
        ending = Task { [status] in
            do {
                let result = try await run(
                    configuration, input: .fileDescriptor(standardInput, closeAfterSpawningProcess: true),
                    output: .sequence, error: .fileDescriptor(errors, closeAfterSpawningProcess: true)
                ) { execution in
                    start.yield(.success(execution.processIdentifier.value))
                    defer { line.finish() }
                    let output = execution.standardOutput.strings(
                        separatedBy: .unicodeScalarSequence([lineSeparator]), bufferingPolicy: .unbounded)
                    for try await text in output { line.yield(text) }
                }
                let number = result.terminationStatus.shellStatus
                status.number.withLock { $0 = number }
                return number
            } catch {
                line.finish()
                // Subprocess has ended it: its number may be another process's by now.
                status.number.withLock { $0 = -1 }
                // Heard only if the process has not begun.
                start.yield(.failure(error))
                return -1
            }
        }
        self.lines = lines
        var first: Result<Int32, any Error>?
        for await began in starting {
            first = began
            break
        }
        guard let first else {
            ending.cancel()
            _ = await ending.value
            throw CancellationError()
        }
        id = try first.get()
    }

    deinit { signal(SIGKILL) }

    package var isRunning: Bool { status.number.withLock { $0 == nil } }

    /// Sends a signal, if the process still runs.
    package func signal(_ number: Int32) {
        status.number.withLock { if $0 == nil { kill(id, number) } }
    }

    /// Waits until the process has ended, however that came. If the calling task is cancelled, the process is killed.
    ///
    /// - Returns: Its exit status, or 128 and the signal that ended it.
    @discardableResult package func ended() async -> Int32 {
        await withTaskCancellationHandler {
            await ending.value
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Kills it the hard way, as a power cut would, and waits until it is gone.
    package func killed() async {
        signal(SIGKILL)
        await ended()
    }
}
