public import Foundation
public import Kith

extension AddressBook {
    /// A source of the address book, and how it is.
    public struct SourceStatus: Hashable, Sendable, Identifiable {
        /// What became of the source when it was last read.
        public enum State: Hashable, Sendable {
            /// It was not read yet, as nobody has asked for the contacts.
            case unread
            /// It is being read: how much is done, and of how much where that is known, in units of the source.
            case loading(done: Int, of: Int?)
            /// It was read, and its contacts are shown.
            case loaded
            /// It could not be read: why, for programs and for people. What it held before is still shown.
            case failed(code: KithError.Code, sentence: String)
        }

        /// Which source it is.
        public let id: SourceID
        /// What people call it.
        public let name: String
        /// Where it is; nil if the app made it itself.
        public let location: SourceLocation?
        /// What became of it when it was last read.
        public internal(set) var state = State.unread
        /// How many cards it has in the book.
        public internal(set) var cards = 0
        /// What could not be read in it.
        public internal(set) var faults: SourceFaults = []
        /// How much of it the system lets the app see.
        public internal(set) var access = SourceContents.Access.full
        /// When it was last read well.
        public internal(set) var lastLoaded: Date?

        /// Why it could not be read when that was last tried; nil if it could.
        public var error: KithError? {
            if case .failed(let code, let sentence) = state { KithError(code, sentence) } else { nil }
        }

        init(id: SourceID, name: String, location: SourceLocation?) {
            (self.id, self.name, self.location) = (id, name, location)
        }
    }
}
