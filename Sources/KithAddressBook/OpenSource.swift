import Foundation
import Kith
import KithModel
import Synchronization

/// A source of the address book, with its content at the last reading.
struct OpenSource: Sendable {
    /// A number that no other source of this name has had.
    let number: Int
    var status: AddressBook.SourceStatus
    var source: any AddressBookSource
    /// The cards; nil before the first reading.
    var cards: [FiledCard]?
    /// The region of numbers without a country code.
    var region: Region?
    var watcher: Task<Void, Never>?
    /// The number of the last edit that waits and is not shown yet; nil if there is none. It is read from what the device
    /// keeps, before the server is asked.
    var unshownEdit: Int?

    init(_ number: Int, _ status: AddressBook.SourceStatus, _ source: any AddressBookSource) {
        (self.number, self.status, self.source) = (number, status, source)
    }

    var id: AddressBook.SourceID { status.id }
}
