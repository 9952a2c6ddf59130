import Kith

/// The reason why a command failed: a status for the shell, a code for programs, and a sentence for people that says
/// what to do next.
package struct Failure: Error, Hashable, Sendable {
    package let status: ExitStatus
    package let code: String
    package let sentence: String
    /// Suggestions, as they can be typed.
    package let candidates: [String]

    package init(_ status: ExitStatus, _ code: String, _ sentence: String, candidates: [String] = []) {
        self.status = status
        self.code = code
        self.sentence = sentence
        self.candidates = candidates
    }

    /// A mistake in what the user has typed.
    static func usage(_ sentence: String, candidates: [String] = []) -> Failure {
        Failure(.usage, "usage", sentence, candidates: candidates)
    }

    /// A name to which nothing belongs.
    static func notFound(_ sentence: String, candidates: [String] = []) -> Failure {
        Failure(.notFound, "notFound", sentence, candidates: candidates)
    }

    /// The failure for `error`; nil if `error` comes from the parsing of arguments.
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
    package var shape: Shape {
        ["error": ["code": code, "sentence": sentence, "status": status.rawValue, "candidates": candidates] as Shape]
    }
}

extension KithError {
    /// The error of a part of an answer: `{"code", "sentence"}`
    var shape: Shape { ["code": code.rawValue, "sentence": sentence] }
}
