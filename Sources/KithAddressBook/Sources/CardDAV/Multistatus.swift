package import Foundation
import Kith

#if canImport(FoundationXML)
    import FoundationXML
#endif

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
    static let displayName = dav("displayname")
    static let syncToken = dav("sync-token")
    static let currentUserPrincipal = dav("current-user-principal")
    static let supportedReports = dav("supported-report-set")
    static let addressBookHomes = carddav("addressbook-home-set")
    static let addressBook = carddav("addressbook")
    static let addressData = carddav("address-data")
    /// Older than sync tokens: a tag that changes with anything in the collection.
    static let collectionTag = XMLName(namespace: "http://calendarserver.org/ns/", local: "getctag")
}

/// What a WebDAV server says of several resources at once (RFC 4918, section 13).
package struct Multistatus: Sendable {
    /// What it says of one.
    struct Response: Sendable {
        var href = ""
        /// Of the resource as a whole, where it has one.
        var status: Int?
        /// The properties that it has; none of those that it was asked for and lacks.
        var properties: [XMLName: Value] = [:]

        /// Whether the server says that there is no such resource, and not only that it does not give it.
        var isGone: Bool { status == 404 || status == 410 }
    }

    /// A property's value: its text, and the elements and references in it.
    struct Value: Sendable {
        var text = ""
        var elements: Set<XMLName> = []
        var hrefs: [String] = []
    }

    var responses: [Response] = []
    /// Where the collection stands, after a sync (RFC 6578, section 6.4).
    var syncToken: String?
    /// What was violated, if the answer is an error instead (RFC 4918, section 16).
    var conditions: Set<XMLName> = []

    /// - Throws: ``KithError`` with `malformed` if this is neither a multistatus nor an error, whole and well formed; or
    ///   if it declares entities, which can grow beyond all bounds.
    package init(_ body: Data) throws {
        guard !Self.declaresEntities(body) else { throw Self.malformed(nil) }
        let reader = MultistatusReader()
        let parser = XMLParser(data: body)
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        // On Linux `parse` is content with half a document; but what half a listing does not name is not gone.
        guard parser.parse(), parser.parserError == nil, reader.isWhole else {
            throw Self.malformed(parser.parserError)
        }
        self = reader.result
    }

    fileprivate init() {}

    /// Whether there may be declarations, which stand before the first element. Text with zeros is not in UTF-8, and
    /// is not looked through.
    private static func declaresEntities(_ body: Data) -> Bool {
        var rest = body[...]
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[mark...]
            let isComment = rest.starts(with: "<!--".utf8)
            guard isComment || rest.starts(with: "<?".utf8) else { break }
            guard let end = rest.range(of: Data((isComment ? "-->" : "?>").utf8)) else { return true }
            rest = rest[end.upperBound...]
        }
        return rest.starts(with: "<!".utf8) || body.contains(0)
    }

    private static func malformed(_ cause: (any Error)?) -> KithError {
        KithError(.malformed, "The server's answer cannot be read. Is it a CardDAV server?", cause: cause)
    }
}

/// Gathers a multistatus while its elements go by.
private final class MultistatusReader: NSObject, XMLParserDelegate {
    private(set) var result = Multistatus()
    /// Whether what was read is one of the documents that servers answer with, to its end.
    private(set) var isWhole = false
    private var open: [XMLName] = []
    private var text = ""
    private var response = Multistatus.Response()
    /// The properties of a group, until its status is known.
    private var properties: [XMLName: Multistatus.Value] = [:]
    private var status: Int?

    /// The property that we are in, and how deep it lies.
    private var property: XMLName? { open.count > 4 && open[3] == .dav("prop") ? open[4] : nil }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let name = XMLName(namespace: namespaceURI ?? "", local: name)
        open.append(name)
        text = ""
        if open.count == 2 && name == .dav("response") { response = Multistatus.Response() }
        if open.count == 3 && name == .dav("propstat") { (properties, status) = ([:], nil) }
        if open.count == 2 && open[0] == .dav("error") { result.conditions.insert(name) }
        if let property {
            if open.count == 5 { properties[property] = Multistatus.Value() }
            if open.count > 5 { properties[property]?.elements.insert(name) }
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }

    func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
        guard let name = open.last else { return }
        if let property, open.count == 5 { properties[property]?.text = text }
        if let property, open.count > 5, name == .dav("href") { properties[property]?.hrefs.append(trimmed) }
        switch (open.count, name) {
        case (2, .syncToken): result.syncToken = trimmed
        case (2, .dav("response")): result.responses.append(response)
        case (3, .dav("href")): response.href = trimmed
        case (3, .dav("status")): response.status = code
        case (4, .dav("status")): status = code
        case (3, .dav("propstat")):
            if (200..<300).contains(status ?? 200) { response.properties.merge(properties) { $1 } }
        default: break
        }
        open.removeLast()
        text = ""
        if open.isEmpty { isWhole = name == .dav("multistatus") || name == .dav("error") }
    }

    private var trimmed: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Of `HTTP/1.1 200 OK`.
    private var code: Int? { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
}
