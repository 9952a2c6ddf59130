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
                .tooLate, .otherServer:
                .refused
            case .notFound, .noRequest: .notFound
            case .invalid: .usage
            case .diskFull: .diskFull
            default: .failed
            }
    }
}

/// Why a command could not do what it was asked: a status for the shell, a code
/// for programs, a sentence for people that says what to do next.
package struct Failure: Error, Hashable, Sendable {
    package let status: ExitStatus
    package let code: String
    package let sentence: String
    /// What was perhaps meant, as it can be typed.
    package let candidates: [String]

    package init(_ status: ExitStatus, _ code: String, _ sentence: String, candidates: [String] = []) {
        self.status = status
        self.code = code
        self.sentence = sentence
        self.candidates = candidates
    }

    /// The failure that `error` is; nil if it comes from the parsing of arguments.
    package init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as KithError:
            let advice =
                switch error.code {
                case .otherServer:
                    " The options and commands for that: --server URL, kith session new, kith accounts"
                default: ""
                }
            self.init(ExitStatus(error.code), error.code.rawValue, error.sentence + advice)
        case is CancellationError:
            self.init(.failed, "cancelled", "Stopped before it was done. What was saved until then stays saved.")
        default: return nil
        }
    }

    /// `{"error": {"code", "sentence", "status", "candidates"}}`
    package var json: JSON {
        .object([
            "error": .object([
                "code": .text(code), "sentence": .text(sentence), "status": .integer(Int64(status.rawValue)),
                "candidates": .list(candidates, JSON.text),
            ])
        ])
    }
}
