package import Kith

/// A command's exit status. The numbers are stable, because scripts test for them.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    case failed = 1
    /// The server cannot be reached, is busy, or was not named. Edits are kept.
    case offline = 3
    /// There is no session, or the server does not accept its token.
    case notSignedIn = 4
    /// The server refused, or a rule that client and server share.
    case refused = 5
    /// A name matches nothing, or more than one thing.
    case notFound = 6
    /// A file was read in part, or not at all. What could be read was imported.
    case faults = 7
    /// Wrong usage: `EX_USAGE`, as in ArgumentParser.
    case usage = 64
    /// The disk is full: `EX_CANTCREAT`. Nothing was changed, unless the message says what was.
    case diskFull = 73
    /// The same command can succeed later: `EX_TEMPFAIL`. A mail server then keeps the email that it has handed over.
    case tryAgain = 75

    /// The exit status for an error of the SDK.
    package init(_ code: KithError.Code) {
        self =
            switch code {
            case .offline, .noServer, .busy: .offline
            case .unauthorized, .accountClosed: .notSignedIn
            case .forbidden, .refused, .tooMany, .quotaExceeded, .yourself, .alreadyConnected, .tooSoon, .full,
                .tooLate, .otherServer, .conflict, .codeWrong, .codeExpired, .lastWayIn, .listsUndecided,
                .passkeyRefused, .alreadyAccepted, .alreadyInvited, .codeTaken, .codeReserved, .yourOwnCode:
                .refused
            case .notFound, .noRequest, .noProgramme: .notFound
            case .invalid, .codeIllegal, .codeLength: .usage
            case .diskFull: .diskFull
            default: .failed
            }
    }
}
