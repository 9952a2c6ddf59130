public import KithCards

/// Where contacts come from: a file, a folder, an account, the device's own address book.
///
/// A source only reads, adds and says that something has changed. Loading one at
/// a time, linking, keeping what was read: all of that is the address book's.
public protocol AddressBookSource: Sendable {
    /// Reads every card there is. Not called again before it has returned.
    ///
    /// A card that cannot be read is among the contents' faults, and stops no other. What has not changed since the
    /// last time may be remembered.
    ///
    /// - Throws: ``KithError``: `notFound`, `denied`, `offline`, `unauthorized`, `unreadable` …; `CancellationError`.
    func load(_ progress: LoadProgress) async throws -> SourceContents

    /// What the source held when it was last read, if it can tell without going where the contacts are; nil if not.
    ///
    /// An account keeps its cards on the device: they are shown at once, and where there is no network.
    func cached() async throws -> SourceContents?

    /// One element each time that the cards may have changed, from the call on. Ends only when nobody listens any more.
    ///
    /// Changes that follow each other closely, or that nobody has heard of yet, are one element.
    func changes() -> AsyncStream<Void>

    /// A card as its program wrote it, read again: for its photo, and to show or export it whole.
    ///
    /// - Throws: ``KithError`` with `notFound` if it is gone.
    func vCard(_ reference: CardReference) async throws -> VCard

    /// Adds cards, durably. A card is left out, and has no reference in the result, if one of the same uid and name is
    /// there already; one without a uid, if the very same card is.
    ///
    /// - Throws: ``KithError``: `forbidden` if the source cannot be written; `refused` if a card cannot be in it …
    func add(_ cards: [VCard]) async throws -> [CardReference]
}

extension AddressBookSource {
    /// Nothing: most sources are on the device, and are read instead.
    public func cached() async throws -> SourceContents? { nil }
}

/// What a source calls one of its cards: a file's name, an address, an identifier. It stays the same from load to load.
public struct CardReference: Hashable, Sendable {
    /// The name within the source.
    public let name: String

    /// The reference of this name.
    public init(_ name: String) { self.name = name }
}

/// What a source held when it was read.
public struct SourceContents: Hashable, Sendable {
    /// A card, and what the source calls it.
    public struct Entry: Hashable, Sendable {
        /// What the source calls the card.
        public let reference: CardReference
        /// The card, without its bytes.
        public let card: Card

        /// A card under its reference.
        public init(reference: CardReference, card: Card) { (self.reference, self.card) = (reference, card) }
    }

    /// How much of the book the source lets us see.
    public enum Access: Hashable, Sendable {
        /// All of it.
        case full
        /// Only the contacts that the user has chosen (iOS 18).
        case limited
    }

    /// The cards, in the source's order.
    public var entries: [Entry]
    /// What could not be read.
    public var faults: SourceFaults
    /// How much of the book this is.
    public var access: Access

    /// What was read, and what could not be.
    public init(entries: [Entry], faults: SourceFaults = [], access: Access = .full) {
        (self.entries, self.faults, self.access) = (entries, faults, access)
    }
}

/// How far a load has come. Told often; whoever shows it decides how often to draw.
public struct LoadProgress: Sendable {
    private let tell: @Sendable (_ done: Int, _ of: Int?) -> Void

    /// Progress that `tell` hears of: how much is done, and of how much where that is known, in units of the source.
    public init(_ tell: @escaping @Sendable (_ done: Int, _ of: Int?) -> Void) { self.tell = tell }

    /// Progress that nobody hears of.
    public static let unheard = LoadProgress { _, _ in }

    /// Says how far the load has come.
    public func report(_ done: Int, of total: Int? = nil) { tell(done, total) }
}
