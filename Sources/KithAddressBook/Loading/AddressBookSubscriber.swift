public import Kith

/// An object that is notified of changes and failures of the address book, on the main actor.
///
/// ```swift
/// final class ContactsScreen: AddressBookSubscriber {
///     func addressBookDidChange(_ changed: Changed<Contact>) { table.reload() }
///     func addressBookDidFailToLoad(_ failures: [SourceStatus]) { banner.show(failures) }
/// }
/// ```
@MainActor public protocol AddressBookSubscriber: AnyObject, Sendable {
    /// The contacts have changed. Getters already return the new ones.
    ///
    /// The first call contains all contacts, with the origin `state`, even if there are none. It follows the first load or,
    /// if the contacts are loaded already, the subscription. Later calls contain differences.
    func addressBookDidChange(_ changed: Changed<Contact>)

    /// A load has failed: these sources could not be read.
    ///
    /// Their contacts are shown as last read. The sources are read again when the contacts are next requested, after a
    /// pause of at most ``AddressBook/longestPause``.
    func addressBookDidFailToLoad(_ failures: [SourceStatus])
}
