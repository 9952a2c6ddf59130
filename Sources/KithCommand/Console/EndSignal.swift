import Dispatch
import Foundation

/// Calls back when the process is asked to end, by Ctrl-C or SIGTERM, in place of ending it at once.
final class EndSignal {
    private let sources: [any DispatchSourceSignal]

    init(_ handle: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler(handler: handle)
            source.resume()
            return source
        }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}
