package import Foundation
package import Kith
package import KithModel

/// The dependencies of the address book.
package struct AddressBookDependencies: Sendable {
    var world: Kith.Dependencies
    var phoneNumbers: (any PhoneNumberParser)?
    /// The default region of numbers without a country code. The user's choice has precedence.
    var region: Region?
    var locale: Locale
    /// Whether accounts are only read from their cache on the device.
    var isOffline: Bool
    /// The number of unread changes after which a listener is ended.
    var unreadChanges: Int
    /// How often accounts are polled while there are no observers.
    var accountInterval: Duration

    package init(
        world: Kith.Dependencies = .system, phoneNumbers: (any PhoneNumberParser)? = nil, region: Region? = nil,
        locale: Locale = .current, isOffline: Bool = false, unreadChanges: Int = KithClient.unreadChanges,
        accountInterval: Duration = KithConfiguration.accountInterval
    ) {
        (self.world, self.phoneNumbers, self.region) = (world, phoneNumbers, region)
        (self.locale, self.isOffline, self.unreadChanges) = (locale, isOffline, unreadChanges)
        self.accountInterval = accountInterval
    }
}
