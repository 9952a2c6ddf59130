import Foundation
public import Kith
public import KithModel

#if canImport(PhoneNumbers)
    import PhoneNumbers
#endif

extension KithClient {
    /// The device's own address book.
    ///
    /// It is opened at the first use. If its file cannot be opened, ``AddressBook/loaded()`` throws the reason.
    public var addressBook: AddressBook {
        parts.part {
            let book = AddressBook(configuration, credentials)
            book.beforeFirstLoad { [weak book, replica] in await book?.showMatches(in: replica) }
            return book
        }
    }
}

extension KithConfiguration {
    /// The parser of telephone numbers; nil for libphonenumber, which the package includes on Linux. On other
    /// platforms, an app passes in its own parser; without one, numbers are compared by their digits.
    public var phoneNumbers: (any PhoneNumberParser)? {
        get { addressBook.phoneNumbers }
        set { addressBook.phoneNumbers = newValue }
    }

    /// The region of numbers without a country code, until the user chooses another one with
    /// ``AddressBook/setRegion(_:)``; nil for the region of the device's locale.
    public var region: Region? {
        get { addressBook.region }
        set { addressBook.region = newValue }
    }

    /// How often a CardDAV account of the address book is polled for changes; at least 10 seconds. CardDAV has no push.
    ///
    /// While there is a listener to ``AddressBook/changes()``, accounts are polled at least once a minute.
    public var accountInterval: Duration {
        get { addressBook.accountInterval }
        set { addressBook.accountInterval = newValue }
    }

    /// The default of the property with this name: 15 minutes.
    public static let accountInterval = Duration.seconds(15 * 60)

    /// Whether accounts of the address book are only read from their cache on the device.
    package var isOffline: Bool {
        get { addressBook.isOffline }
        set { addressBook.isOffline = newValue }
    }

    private var addressBook: AddressBookSettings {
        get { modules[AddressBookSettings()] }
        set { modules[AddressBookSettings()] = newValue }
    }
}

/// The configuration of the address book.
private struct AddressBookSettings: Sendable {
    var phoneNumbers: (any PhoneNumberParser)?
    var region: Region?
    var accountInterval = KithConfiguration.accountInterval
    var isOffline = false
}

extension AddressBook {
    fileprivate convenience init(_ configuration: KithConfiguration, _ credentials: any CredentialStore) {
        let file: URL? =
            switch configuration.storage {
            case .inMemory: nil
            case .directory(let folder): folder.appendingPathComponent("address-book.sqlite")
            }
        self.init(
            credentials: credentials,
            AddressBookDependencies(
                world: configuration.dependencies, phoneNumbers: configuration.phoneNumbers ?? Self.ownParser,
                region: configuration.region ?? Region(.user(of: .numbers)), locale: .user(of: .order),
                isOffline: configuration.isOffline, accountInterval: configuration.accountInterval)
        ) { try AddressBookStore(file) }
    }

    /// The parser that comes with the package.
    private static var ownParser: (any PhoneNumberParser)? {
        #if canImport(PhoneNumbers)
            LibPhoneNumber()
        #else
            nil
        #endif
    }
}
