/// The name of an XML element.
struct XMLName: Hashable, Sendable {
    let namespace: String
    let local: String

    static func dav(_ local: String) -> XMLName { XMLName(namespace: "DAV:", local: local) }
    static func carddav(_ local: String) -> XMLName {
        XMLName(namespace: "urn:ietf:params:xml:ns:carddav", local: local)
    }

    static let getetag = dav("getetag")
    static let resourceType = dav("resourcetype")
    static let syncToken = dav("sync-token")
    static let currentUserPrincipal = dav("current-user-principal")
    static let supportedReports = dav("supported-report-set")
    /// The words of a server that is built with sabre/dav, such as Nextcloud and Baïkal.
    static let sabreMessage = XMLName(namespace: "http://sabredav.org/ns", local: "message")
    static let addressBookHomes = carddav("addressbook-home-set")
    static let addressBook = carddav("addressbook")
    static let addressData = carddav("address-data")
    /// An older kind of sync token: a tag that changes with anything in the collection.
    static let collectionTag = XMLName(namespace: "http://calendarserver.org/ns/", local: "getctag")
}
