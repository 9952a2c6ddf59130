import ArgumentParser
import Dispatch
import Foundation

/// Calls a handler when the process receives SIGINT (Ctrl-C) or SIGTERM, instead of ending the process. The handler gets
/// the number of the signal.
final class EndSignal {
    private static let numbers = [SIGINT, SIGTERM]
    private let sources: [any DispatchSourceSignal]

    /// Installs the handler, and returns when no signal can be lost any more. Until then, a signal ends the process.
    init(_ handle: @escaping @Sendable (_ number: Int32) -> Void) {
        let installed = DispatchSemaphore(value: 0)
        sources = Self.numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { handle(number) }
            source.setRegistrationHandler { installed.signal() }
            source.resume()
            installed.wait()
            #if canImport(Darwin)
                // On Apple's systems, Dispatch does not disable the default action, which ends the process.
                signal(number, SIG_IGN)
            #endif
            return source
        }
    }

    /// Does work that leaves nothing behind when it is cancelled, and cancels it at a signal.
    ///
    /// - Throws: whatever `work` throws; after a signal, the exit code that shells show for it: 130 for SIGINT, 143 for
    ///   SIGTERM.
    static func cancelling<Done: Sendable>(_ work: @escaping @Sendable () async throws -> Done) async throws -> Done {
        let (signals, teller) = AsyncStream.makeStream(of: Int32.self)
        let end = EndSignal { number in teller.yield(number) }
        defer { end.cancel() }
        // An error of one task cancels the other, and is thrown when that has ended.
        return try await withThrowingTaskGroup(of: Done?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await number in signals { throw ExitCode(128 + number) }
                return nil
            }
            defer { group.cancelAll() }
            for try await done in group { if let done { return done } }
            throw CancellationError()
        }
    }

    /// Restores the default: the signals end the process again.
    func cancel() {
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
