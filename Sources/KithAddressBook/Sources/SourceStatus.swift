public import Foundation
public import Kith

/// A source of the address book, and its state.
public struct SourceStatus: Hashable, Sendable, Identifiable {
    /// The state of a source.
    public enum State: Hashable, Sendable {
        /// It has not been read, because the app has not asked for contacts.
        case unread
        /// It is being read: how much is done, and the total if it is known, in units of the source.
        case loading(done: Int, of: Int?)
        /// It was read, and its contacts are shown.
        case loaded
        /// The last attempt to read it failed: the reason for programs and for people. Its earlier contacts are still
        /// shown.
        case failed(code: KithError.Code, sentence: String)
    }

    /// The identity of the source.
    public let id: SourceID
    /// The name to show.
    public let name: String
    /// The place of the source; nil if the app made the source itself.
    public let location: SourceLocation?
    /// The state of the source.
    public internal(set) var state = State.unread
    /// The number of its cards in the address book.
    public internal(set) var cards = 0
    /// The cards and lines that could not be read.
    public internal(set) var faults: SourceFaults = []
    /// The number of the folder's files that could not be read at all, so that their cards are missing.
    public internal(set) var unreadableFiles = 0
    /// How many of its contacts the source lets the app see.
    public internal(set) var access = SourceContents.Access.full
    /// The edits that have not reached the source.
    public internal(set) var unsent: [UnsentEdit] = []
    /// The number of edits that wait to be sent. They are sent when the server of the source takes them. Refused ones are
    /// not counted.
    public var waiting: Int { unsent.count { !$0.isRefused } }
    /// The time when it was last read without a failure.
    public internal(set) var lastLoaded: Date?

    /// The reason why the last attempt to read it failed; nil if it succeeded.
    public var error: KithError? {
        if case .failed(let code, let sentence) = state { KithError(code, sentence) } else { nil }
    }

    init(id: SourceID, name: String, location: SourceLocation?) {
        (self.id, self.name, self.location) = (id, name, location)
    }
}
