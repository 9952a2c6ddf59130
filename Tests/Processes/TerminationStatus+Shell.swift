package import Subprocess

extension TerminationStatus {
    /// The exit status, or 128 and the signal that ended the process.
    package var shellStatus: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
