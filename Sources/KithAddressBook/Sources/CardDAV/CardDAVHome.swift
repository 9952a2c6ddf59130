import Foundation

/// Where the address books of an account are.
struct CardDAVHome: Hashable, Sendable {
    /// The collections that contain the books; or the one book, if `isBook`.
    let collections: [URL]
    let isBook: Bool
}

extension CardDAVHome {
    init?(_ homes: Multistatus.Value?, at url: URL) {
        let collections = (homes?.hrefs ?? []).compactMap { URL(string: $0, relativeTo: url)?.absoluteURL }
        if collections.isEmpty { return nil }
        self.init(collections: collections, isBook: false)
    }
}
