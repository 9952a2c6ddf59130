import Dispatch
import Foundation

/// Calls a handler when the process receives SIGINT (Ctrl-C) or SIGTERM, instead of ending the process.
final class EndSignal {
    private static let numbers = [SIGINT, SIGTERM]
    private let sources: [any DispatchSourceSignal]

    init(_ handle: @escaping @Sendable () -> Void) {
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler(handler: handle)
            source.resume()
            return source
        }
    }

    /// Restores the default: the signals end the process again.
    func cancel() {
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
