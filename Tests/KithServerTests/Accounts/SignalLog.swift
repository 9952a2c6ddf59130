import KithServer
import Synchronization

/// Keeps the signals that services send.
final class SignalLog: Sendable {
    private let signals = Mutex(Signals())

    /// Everything that was sent since the last ``take()``.
    func take() -> Signals {
        signals.withLock { signals in
            defer { signals = Signals() }
            return signals
        }
    }

    /// A sender to this log.
    var sender: SignalSender {
        SignalSender { [self] new, _ in signals.withLock { $0.formUnion(new) } }
    }
}
