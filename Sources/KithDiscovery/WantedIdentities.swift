import KithAddressBook
import KithModel

/// The identities to look for.
struct WantedIdentities: Sendable {
    let identities: Set<Identity>
    /// Whether these are all: no source of the address book, nor a file of it, is being read, or cannot be read.
    let areAll: Bool

    /// The identities in an address book, and others.
    init(in addressBook: AddressBook, and others: [Identity]) async throws {
        var book = try await addressBook.identities()
        // Whatever is read meanwhile may be in the book or not.
        let isRead = addressBook.sources.allSatisfy(\.isWhole)
        book.formUnion(try await addressBook.identities())
        identities = book.union(others)
        areAll = isRead && addressBook.sources.allSatisfy(\.isWhole)
    }
}

extension SourceStatus {
    /// Whether all its cards that the app may see were read.
    fileprivate var isWhole: Bool { state == .loaded && unreadableFiles == 0 }
}
