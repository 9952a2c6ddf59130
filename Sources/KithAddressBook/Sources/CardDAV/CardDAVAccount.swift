import Foundation
import Kith
import KithCards
import KithModel

/// The requests to a CardDAV account's server, with typed arguments and results (RFC 6352).
///
/// Cards and books are named by canonical paths below the address of the home, which discovery has found.
struct CardDAVAccount: Sendable {
    let connection: DAVConnection

    /// The byte limit for an answer without cards. A listing of 100,000 cards has some 30 MB.
    private static let listingLimit = 128 << 20
    /// The byte limit for an answer with cards. A request with a longer answer is split.
    static let cardsLimit = 2 * VCard.Limits.bytes

    // MARK: Asking for properties

    func properties(
        of url: URL, depth: Int, _ names: [XMLName]
    ) async throws -> (responses: [Multistatus.Response], url: URL) {
        let (answer, url) = try await connection.send(
            "PROPFIND", url, headers: ["Depth": String(depth), "Content-Type": Self.xml],
            body: DAVBody.propfind(names), limit: Self.listingLimit)
        return (try Multistatus(answer.body).responses, url)
    }

    private static let xml = "application/xml; charset=utf-8"

    private func report(
        _ url: URL, depth: Int, _ body: Data, limit: Int, extent: DAVRequest.Extent = .whole
    ) async throws -> Multistatus {
        let (answer, _) = try await connection.send(
            "REPORT", url, headers: ["Depth": String(depth), "Content-Type": Self.xml], body: body, limit: limit,
            extent: extent)
        return try Multistatus(answer.body)
    }

    // MARK: What has changed

    /// The server's list of the cards in a book.
    struct Listing: Sendable {
        /// Entity tags by path: nil for a card that is gone, empty where the server gives none.
        var tags: [String: String?] = [:]
        var token: String?
    }

    /// How many parts of one answer are read.
    private static let parts = 1_000

    /// The changes since a token, or everything if it is empty (RFC 6578, section 3.2).
    func changes(in book: URL, since token: String) async throws -> Listing {
        var listing = Listing(token: token)
        for _ in 0..<Self.parts {
            let answer = try await report(
                book, depth: 0, DAVBody.syncCollection(since: listing.token ?? ""), limit: Self.listingLimit)
            // Status 507: the server has truncated its answer, and continues it from the new token (section 3.6).
            let isParted = answer.responses.contains { $0.status == 507 }
            listing.add(answer.responses, of: book)
            guard isParted, let next = answer.syncToken, next != listing.token else {
                listing.token = answer.syncToken
                return listing
            }
            listing.token = next
        }
        throw KithError(.malformed, "The server parts its answer without end. Ask who runs it.")
    }

    /// Every card, for servers that cannot list changes.
    func cards(in book: URL) async throws -> Listing {
        var listing = Listing()
        listing.add(try await properties(of: book, depth: 1, [.getetag, .resourceType]).responses, of: book)
        return listing
    }

    // MARK: Cards

    /// A card as it is on the server.
    struct Card: Sendable {
        /// The entity tag; empty where the server gives none.
        var etag = ""
        let bytes: [UInt8]
    }

    /// The server's answer to a request for a card.
    enum Answer: Sendable {
        case card(Card)
        /// Only if the server says so: a card that it refuses or omits may come back.
        case gone

        /// Nil if the card is gone.
        var bytes: [UInt8]? {
            switch self {
            case .card(let card): card.bytes
            case .gone: nil
            }
        }
    }

    /// The server's answers for the cards at these paths. A card that it does not return has no entry (RFC 6352,
    /// section 8.7).
    func multiget(_ paths: [String], in book: URL) async throws -> [String: Answer] {
        let answer = try await report(
            book, depth: 0, DAVBody.multiget(paths), limit: Self.cardsLimit, extent: .cards)
        var answers: [String: Answer] = [:]
        for response in answer.responses {
            guard let path = book.path(of: response.href) else { continue }
            if let data = response.properties[.addressData] {
                let etag = response.properties[.getetag]?.text ?? ""
                answers[path] = .card(Card(etag: etag, bytes: Self.restored(data.text)))
            } else if response.isGone {
                answers[path] = .gone
            }
        }
        return answers
    }

    /// One card as it is on the server.
    func card(at path: String, in book: URL) async throws -> Answer {
        let (answer, _) = try await connection.send(
            "GET", book.at(path: path), headers: ["Accept": "text/vcard, */*;q=0.1"], limit: Self.cardsLimit,
            accepted: [404, 410], extent: .card)
        guard (200..<300).contains(answer.status) else { return .gone }
        return .card(Card(etag: answer.headers["etag"] ?? "", bytes: [UInt8](answer.body)))
    }

    /// XML makes every line end a line feed (XML 1.0, section 2.11); vCards have CR LF (RFC 6350, section 3.2).
    private static func restored(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + text.utf8.count / 32)
        for byte in text.utf8 {
            if byte == 10, bytes.last != 13 { bytes.append(13) }
            bytes.append(byte)
        }
        return bytes
    }

    /// A card as it is on the server now, with the tag that ``replace(_:by:at:in:)`` needs; nil if it is gone.
    ///
    /// The tag is requested separately, because a proxy that compresses answers may change the tag of the card's own
    /// answer.
    func current(at path: String, in book: URL) async throws -> Card? {
        let tag: String?
        do {
            let (responses, _) = try await properties(of: book.at(path: path), depth: 0, [.getetag])
            tag = responses.first?.properties[.getetag]?.text
        } catch let error as KithError where error.code == .notFound { return nil }
        guard case .card(let card) = try await self.card(at: path, in: book) else { return nil }
        return Card(etag: tag.flatMap { $0.isEmpty ? nil : $0 } ?? card.etag, bytes: card.bytes)
    }

    /// Puts a new card, in UTF-8.
    ///
    /// - Returns: False if the path or the card's uid is already taken.
    /// - Throws: ``KithError`` with `refused` if the server does not accept this card; the message contains the
    ///   server's reason.
    func put(_ bytes: [UInt8], at path: String, in book: URL) async throws -> Bool {
        try await put(bytes, at: path, in: book, if: ("If-None-Match", "*"))
    }

    /// Replaces the card that has this tag (RFC 9110, section 13.1.1), or any card if the tag is empty.
    ///
    /// - Returns: False if the card has changed or is gone.
    /// - Throws: ``KithError`` with `refused` if the server does not accept this card; the message contains the
    ///   server's reason.
    func replace(_ tag: String, by bytes: [UInt8], at path: String, in book: URL) async throws -> Bool {
        try await put(bytes, at: path, in: book, if: ("If-Match", Self.strong(tag)))
    }

    /// Removes the card that has this tag, or any card if the tag is empty.
    ///
    /// - Returns: False if the card has changed.
    func delete(_ tag: String, at path: String, in book: URL) async throws -> Bool {
        let (answer, _) = try await connection.send(
            "DELETE", book.at(path: path), headers: ["If-Match": Self.strong(tag)], limit: Self.cardsLimit,
            accepted: [404, 410, 412])
        return answer.status != 412
    }

    /// A tag for `If-Match`, which accepts only strong ones. A proxy that compresses answers may have made it weak.
    private static func strong(_ tag: String) -> String {
        if tag.isEmpty { return "*" }
        return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
    }

    private func put(
        _ bytes: [UInt8], at path: String, in book: URL, if condition: (field: String, value: String)
    ) async throws -> Bool {
        var accepted: Set = [400, 409, 412, 415, 422]
        // A card to replace may be gone.
        if condition.field == "If-Match" { accepted.formUnion([404, 410]) }
        let (answer, url) = try await connection.send(
            "PUT", book.at(path: path),
            headers: [condition.field: condition.value, "Content-Type": "text/vcard; charset=utf-8"],
            body: Data(bytes), limit: Self.cardsLimit, accepted: accepted)
        switch answer.status {
        case 200, 201, 204: return true
        case 404, 410: return false
        case 412 where !answer.conditions.contains(.carddav("supported-address-data")): return false
        case 409 where answer.conditions.contains(.carddav("no-uid-conflict")): return false
        default:
            // Some servers send a refusal as a multistatus.
            let reason = answer.reason ?? "It may want a name, or version 3.0"
            let status = answer.reportedStatus
            throw KithError(
                .refused, "\(url.host() ?? "The server") does not take it (status \(status)): \(reason).",
                cause: DAVStatus(status: status))
        }
    }
}

extension CardDAVAccount.Listing {
    /// Adds the responses about cards. Skips the book itself and collections in it.
    fileprivate mutating func add(_ responses: [Multistatus.Response], of book: URL) {
        let own = book.canonicalPath.trimmingCharacters(in: ["/"])
        for response in responses {
            guard let path = book.path(of: response.href), path.trimmingCharacters(in: ["/"]) != own else { continue }
            guard response.properties[.resourceType]?.elements.contains(.dav("collection")) != true else { continue }
            tags[path] = .some(response.isGone ? nil : response.properties[.getetag]?.text ?? "")
        }
    }
}

extension URL {
    /// The canonical path that an `href` of this server stands for.
    func path(of href: String) -> String? { URL(string: href, relativeTo: self)?.absoluteURL.canonicalPath }
}

extension CardDAVAccount {
    /// Finds the address books from the address that the user knows (RFC 6764, section 6; RFC 6352, section 7.1).
    ///
    /// The address may be that of the server, of the account, or of one address book.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no address book.
    func discover() async throws -> CardDAVHome {
        let address = connection.address
        let wellKnown = address.at(path: "/.well-known/carddav")
        var starts = [address, wellKnown]
        // A server's bare address seldom leads to the account; the well-known address exists for this.
        if address.canonicalPath.allSatisfy({ $0 == "/" }) { starts.reverse() }
        var refusal: KithError?
        for start in starts {
            do {
                if let home = try await home(from: start) { return home }
            } catch let error as KithError where [.notFound, .refused, .malformed, .forbidden].contains(error.code) {
                // The first error is the more informative one, unless it only says that nothing was found.
                if refusal == nil || refusal?.code == .notFound { refusal = error }
            }
        }
        throw refusal ?? hasNoBook
    }

    var hasNoBook: KithError {
        let sentence = "\(connection.address.absoluteString) knows of no address book. "
        return KithError(.notFound, sentence + "Give the address of one, or ask who runs the server.")
    }

    private func home(from start: URL) async throws -> CardDAVHome? {
        let (responses, url) = try await properties(
            of: start, depth: 0, [.resourceType, .currentUserPrincipal, .addressBookHomes])
        guard let properties = responses.first?.properties else { return nil }
        if properties[.resourceType]?.elements.contains(.addressBook) == true {
            return CardDAVHome(collections: [url], isBook: true)
        }
        if let home = CardDAVHome(properties[.addressBookHomes], at: url) { return home }
        guard let href = properties[.currentUserPrincipal]?.hrefs.first,
            let principal = URL(string: href, relativeTo: url)?.absoluteURL
        else { return nil }
        let (answer, place) = try await self.properties(of: principal, depth: 0, [.addressBookHomes])
        return CardDAVHome(answer.first?.properties[.addressBookHomes], at: place)
    }

    /// The address books and their current state, in the order of their paths.
    func books(in home: CardDAVHome) async throws -> [RemoteBook] {
        var books: [String: RemoteBook] = [:]
        for collection in home.collections {
            let (responses, url) = try await properties(
                of: collection, depth: home.isBook ? 0 : 1,
                [.resourceType, .syncToken, .collectionTag, .supportedReports])
            for response in responses {
                guard let path = url.path(of: response.href), let book = RemoteBook(path, response.properties) else {
                    continue
                }
                books[path] = book
            }
        }
        return books.values.sorted { $0.path < $1.path }
    }
}

extension RemoteBook {
    fileprivate init?(_ path: String, _ properties: [XMLName: Multistatus.Value]) {
        guard properties[.resourceType]?.elements.contains(.addressBook) == true else { return nil }
        let syncToken = properties[.syncToken]?.text.nonEmpty
        self.init(
            path: path, token: syncToken ?? properties[.collectionTag]?.text.nonEmpty,
            syncs: syncToken != nil
                || properties[.supportedReports]?.elements.contains(.dav("sync-collection")) == true)
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
