/// The forms of tokens. Every form can be read. Which one the server writes depends on its database.
package enum TokenForm: Hashable, Sendable {
    /// The revision up to which everything was read. The length of the token does not depend on the number of feeds.
    ///
    /// This needs a database whose commits have one order, such as SQLite.
    case revisions
    /// A position for each feed.
    ///
    /// This needs no order of the commits, so it is for a database with several writers, such as PostgreSQL, also if its
    /// feeds are on many nodes. Servers of older versions have written it too.
    case positions

    /// The form for a database: revisions if its commits have one order.
    init(for dialect: Dialect) {
        self = dialect.hasSeveralWriters ? .positions : .revisions
    }

    /// The first byte of a token.
    enum Version {
        static let positions: UInt8 = 1
        static let continuedPositions: UInt8 = 2
        static let revisions: UInt8 = 4
        static let continuedRevisions: UInt8 = 5
    }
}
