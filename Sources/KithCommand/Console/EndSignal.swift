import Dispatch
import Foundation

/// Calls a handler when the process receives SIGINT (Ctrl-C) or SIGTERM, instead of ending the process.
final class EndSignal {
    private static let numbers = [SIGINT, SIGTERM]
    private let sources: [any DispatchSourceSignal]

    /// Installs the handler, and returns when no signal can be lost any more. Until then, a signal ends the process.
    init(_ handle: @escaping @Sendable () -> Void) {
        let installed = DispatchSemaphore(value: 0)
        sources = Self.numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler(handler: handle)
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

    /// Restores the default: the signals end the process again.
    func cancel() {
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
