/// The number of rows of the next page of a table. A page has about ``bytes``, whether its rows have pictures or flags.
package struct PageSize: Hashable, Sendable {
    /// The bytes that a page is to have.
    package static let bytes = 2 << 20
    /// The most rows of a page. PostgreSQL sorts a table with texts in its key for each page.
    package static let most = 20_000
    /// The rows of the first page, before their size is known.
    package static let first = 16
    /// How many times larger a page can be than the one before it, which may have had small rows by chance.
    private static let growth = 4

    /// The number of rows of the next page.
    package private(set) var rows = PageSize.first

    package init() {}

    /// Takes the size of the page that was read.
    package mutating func adapt(toRows count: Int, ofBytes bytes: Int) {
        guard count > 0 else { return }
        let fitting = Self.bytes / max(1, bytes / count)
        rows = max(1, min(Self.most, rows * Self.growth, fitting))
    }
}
