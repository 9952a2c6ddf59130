package import Foundation
import Kith
import TextEncodings

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A WebDAV server's answer about several resources (RFC 4918, section 13).
///
/// Of a long run of combining marks, it has the beginning (`StreamSafeText`), except in cards, which have their own reader.
package struct Multistatus: Sendable {
    /// The answer about one resource.
    struct Response: Sendable {
        var href = ""
        /// The status of the whole resource, if the server gives one.
        var status: Int?
        /// The properties that the resource has. Requested properties that it lacks are left out.
        var properties: [XMLName: Value] = [:]

        /// Whether the server says that the resource does not exist. False if the server only does not return it.
        var isGone: Bool { status == 404 || status == 410 }
    }

    /// A property's value: its text, and the elements and references in it.
    struct Value: Sendable {
        var text = ""
        var elements: Set<XMLName> = []
        var hrefs: [String] = []
    }

    var responses: [Response] = []
    /// The collection's token after a sync (RFC 6578, section 6.4).
    var syncToken: String?
    /// The violated conditions, if the answer is an error (RFC 4918, section 16).
    var conditions: Set<XMLName> = []
    /// The server's own words about an error, which RFC 4918 (section 14.25) and sabre/dav allow; nil if it gives none.
    var explanation: String?

    /// - Throws: ``KithError`` with `malformed` if this is not a complete and well-formed multistatus or error, or if
    ///   it declares entities, which can expand without limit.
    package init(_ body: Data) throws {
        guard !Self.declaresEntities(body) else { throw Self.malformed(nil) }
        let reader = MultistatusReader()
        let parser = XMLParser(data: body)
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        // On Linux `parse` accepts a truncated document, and cards missing from half a listing would count as gone.
        guard parser.parse(), parser.parserError == nil, reader.isWhole else {
            throw Self.malformed(parser.parserError)
        }
        self = reader.result
    }

    fileprivate init() {}

    /// Whether the document may contain declarations, which stand before the first element. Text with zero bytes is not
    /// UTF-8 and counts as declaring some.
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

/// Builds a multistatus from the events of the XML parser.
private final class MultistatusReader: NSObject, XMLParserDelegate {
    private(set) var result = Multistatus()
    /// Whether a complete multistatus or error has been read.
    private(set) var isWhole = false
    private var open: [XMLName] = []
    private var text = ""
    private var response = Multistatus.Response()
    /// The properties of a `propstat` element, until its status is known.
    private var properties: [XMLName: Multistatus.Value] = [:]
    private var status: Int?

    /// The property that contains the current element.
    private var property: XMLName? { open.count > 4 && open[3] == .dav("prop") ? open[4] : nil }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let name = XMLName(
            namespace: StreamSafeText.clamped(namespaceURI ?? ""), local: StreamSafeText.clamped(name))
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
        if let property, open.count == 5 {
            properties[property]?.text = property == .addressData ? text : StreamSafeText.clamped(text)
        }
        if let property, open.count > 5, name == .dav("href") { properties[property]?.hrefs.append(trimmedText) }
        switch (open.count, name) {
        case (2..., .dav("responsedescription")), (2, XMLName.sabreMessage):
            result.explanation = result.explanation ?? trimmedText
        case (2, .syncToken): result.syncToken = trimmedText
        case (2, .dav("response")): result.responses.append(response)
        case (3, .dav("href")): response.href = trimmedText
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

    private var trimmedText: String { StreamSafeText.clamped(text).trimmingCharacters(in: .whitespacesAndNewlines) }

    /// The status code in a line such as `HTTP/1.1 200 OK`.
    private var code: Int? { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
}
