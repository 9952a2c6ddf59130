import Foundation

extension Process {
    /// Starts the program so that it receives all signals.
    ///
    /// Some threads of this program block signals, and a program inherits that from the thread that starts it.
    func runReceivingSignals() throws {
        var (none, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try run()
    }
}
