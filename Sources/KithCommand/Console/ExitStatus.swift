import ArgumentParser
package import Kith
import KithModel

/// How a command ended, as the number that a shell sees. Kept stable: scripts test for these.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    case failed = 1
    /// The server cannot be reached, is busy, or none was named. What was edited is kept.
    case offline = 3
    /// No session, or one whose token the server does not accept.
    case notSignedIn = 4
    /// The server, or a rule that both sides know, said no.
    case refused = 5
    /// A name fits nothing, or more than one thing.
    case notFound = 6
    /// A file was read in part, or not at all. What could be read was imported.
    case faults = 7
    /// Wrong usage: `EX_USAGE`, as ArgumentParser has it.
    case usage = 64
    /// The disk is full: `EX_CANTCREAT`. Nothing was changed.
    case diskFull = 73

    /// The status that an error of the SDK ends a command with.
    package init(_ code: KithError.Code) {
        self =
            switch code {
            case .offline, .noServer, .busy: .offline
            case .unauthorized, .accountClosed: .notSignedIn
            case .forbidden, .refused, .tooMany, .quotaExceeded, .yourself, .alreadyConnected, .tooSoon, .full,
                .tooLate, .otherServer, .conflict:
                .refused
            case .notFound, .noRequest: .notFound
            case .invalid: .usage
            case .diskFull: .diskFull
            default: .failed
            }
    }
}
