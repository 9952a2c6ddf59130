import Foundation
import Kith
import KithModel

/// Where the address books of an account are.
struct CardDAVHome: Hashable, Sendable {
    /// The collections that hold the books, or the one book that the account is.
    let collections: [URL]
    let isBook: Bool
}

extension CardDAVAccount {
    /// Finds the address books from the address that a person knows (RFC 6764, section 6; RFC 6352, section 7.1).
    ///
    /// That may be the server's, the account's, or that of one address book.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no address book.
    func discover() async throws -> CardDAVHome {
        let address = connection.address
        let wellKnown = address.at(path: "/.well-known/carddav")
        var starts = [address, wellKnown]
        // A server's bare address says nothing; the well-known one was made for this.
        if address.canonicalPath.allSatisfy({ $0 == "/" }) { starts.reverse() }
        var refusal: KithError?
        for start in starts {
            do {
                if let home = try await home(from: start) { return home }
            } catch let error as KithError where [.notFound, .refused, .malformed, .forbidden].contains(error.code) {
                // The first one is the more telling, unless it only says that nothing is there.
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
        guard let said = responses.first?.properties else { return nil }
        if said[.resourceType]?.elements.contains(.addressBook) == true {
            return CardDAVHome(collections: [url], isBook: true)
        }
        if let home = CardDAVHome(said[.addressBookHomes], at: url) { return home }
        guard let href = said[.currentUserPrincipal]?.hrefs.first,
            let principal = URL(string: href, relativeTo: url)?.absoluteURL
        else { return nil }
        let (answer, place) = try await properties(of: principal, depth: 0, [.addressBookHomes])
        return CardDAVHome(answer.first?.properties[.addressBookHomes], at: place)
    }

    /// The address books, in the order of their paths, and how each stands.
    func books(in home: CardDAVHome) async throws -> [RemoteBook] {
        var books: [String: RemoteBook] = [:]
        for collection in home.collections {
            let (responses, url) = try await properties(
                of: collection, depth: home.isBook ? 0 : 1,
                [.resourceType, .displayName, .syncToken, .collectionTag, .supportedReports])
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

extension CardDAVHome {
    fileprivate init?(_ homes: Multistatus.Value?, at url: URL) {
        let collections = (homes?.hrefs ?? []).compactMap { URL(string: $0, relativeTo: url)?.absoluteURL }
        if collections.isEmpty { return nil }
        self.init(collections: collections, isBook: false)
    }
}

extension RemoteBook {
    fileprivate init?(_ path: String, _ properties: [XMLName: Multistatus.Value]) {
        guard properties[.resourceType]?.elements.contains(.addressBook) == true else { return nil }
        let syncToken = properties[.syncToken]?.text.nonEmpty
        self.init(
            path: path, name: properties[.displayName]?.text.nonEmpty ?? path,
            token: syncToken ?? properties[.collectionTag]?.text.nonEmpty,
            syncs: syncToken != nil
                || properties[.supportedReports]?.elements.contains(.dav("sync-collection")) == true)
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
