import Dispatch
import Foundation
import Synchronization

/// Calls a handler when the process receives SIGINT (Ctrl-C) or SIGTERM, instead of ending the process.
final class EndSignal {
    private static let numbers = [SIGINT, SIGTERM]
    private let sources: [any DispatchSourceSignal]
    private let heard: Heard

    private final class Heard: Sendable { let isSo = Mutex(false) }

    /// Whether the process has received one of the signals.
    var wasHeard: Bool { heard.isSo.withLock(\.self) }

    init(_ handle: @escaping @Sendable () -> Void) {
        let heard = Heard()
        self.heard = heard
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                heard.isSo.withLock { $0 = true }
                handle()
            }
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
