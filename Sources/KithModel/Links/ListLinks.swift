/// All live links of a list: `GET /v1/lists/{list}/links`.
package struct ListLinks: Hashable, Sendable, Codable {
    /// The links that are neither expired nor revoked, oldest first.
    package var links: [ListLink]

    /// Creates an answer with these links.
    package init(links: [ListLink]) {
        self.links = links
    }
}
