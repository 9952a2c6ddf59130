import Foundation
import Kith

extension KithError {
    /// A file or a folder cannot be read.
    init(reading path: String, _ error: POSIXError) {
        switch error.code {
        case .ENOENT, .ENOTDIR:
            self.init(.notFound, "There is nothing at \(path). Was it moved, or is its disk away?", cause: error)
        case .EACCES, .EPERM:
            self.init(.unreadable, "\(path) may not be read by this program. Check its owner and mode.", cause: error)
        case .EISDIR:
            self.init(.unreadable, "\(path) is no file. A folder of vCards is added as a folder.", cause: error)
        default:
            self.init(.unreadable, "\(path) cannot be read: \(error.reason).", cause: error)
        }
    }

    /// A file cannot be written, or no file can be created in a folder.
    init(writing path: String, _ error: POSIXError) {
        switch error.code {
        case .ENOENT, .ENOTDIR: self.init(reading: path, error)
        case .ENOSPC, .EDQUOT, .EFBIG:
            self.init(
                .diskFull, "The disk is full, so nothing was written to \(path). Free some space and try again.",
                cause: error)
        case .EAGAIN:
            self.init(.busy, "Another program is writing to \(path). Try again.", cause: error)
        default:
            self.init(
                .forbidden, "\(path) cannot be written: \(error.reason). Check its owner and mode.", cause: error)
        }
    }
}

extension KithError {
    /// Only some of the cards could be written into a folder.
    init(writing path: String, _ error: POSIXError, after added: AddedCards, of count: Int) {
        let whole = KithError(writing: path, error)
        let reason = whole.code == .diskFull ? "Then the disk of \(path) was full." : whole.sentence
        self.init(
            whole.code,
            "\(added.references.count) of \(count) cards were added. \(reason) Add all of them again to add the rest: "
                + "those that are there are left out.",
            cause: UnaddedCards(added: added, refused: [], isStopped: true))
    }
}

extension POSIXError {
    /// The system's message, in the form of the end of a sentence.
    var reason: String { String(cString: strerror(code.rawValue)).lowercased() }
}
