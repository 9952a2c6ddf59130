/// Decides when the pages in the log of a SQLite file are copied to the file, and by which connection.
///
/// Copying thousands of pages takes many milliseconds. If the connection that writes did it, all writes would wait, so
/// another connection copies them while writes go on. But the log can begin again only when all of it is copied, which
/// hardly happens while others write. Therefore the connection that writes copies the last few pages of a long log.
/// Nobody may read an older part of the log then, which hardly happens while many read. So it waits for them at last.
package struct CheckpointPlan {
    /// What a commit leads to.
    package enum Step: Hashable, Sendable {
        /// Nothing is copied now.
        case none
        /// Another connection copies the log while writes go on. ``ended(_:copied:)`` must follow.
        case beside
        /// The connection that writes copies the rest of the log now. ``ended(_:copied:)`` must follow.
        case now
        /// It also waits a moment for those who read, so that the log begins again. ``ended(_:copied:)`` must follow.
        case waiting
    }

    /// With so many new pages, another connection copies the log. SQLite's own limit is a quarter of it: a page that many
    /// commits have written is copied once for all of them.
    package static let many = 4_000
    /// A log with so many pages begins again as soon as few of them are left to copy.
    package static let long = 8_000
    /// At most so many pages are copied by the connection that writes, unless the log is too long.
    package static let few = 200
    /// With so many pages, 125 MiB, the connection that writes copies the log however long it takes. It waits for those
    /// who read once in ``many`` pages: a backup may read for long.
    package static let tooLong = 32_000

    private var copied = 0
    private var begun = 0
    private var isCopying = false

    package init() {}

    /// Takes note of a commit, after which the log has this many pages.
    package mutating func committed(pages: Int) -> Step {
        // The log has begun again.
        if pages < begun { (copied, begun) = (0, 0) }
        let isNearlyCopied = !isCopying && pages - copied <= Self.few
        if pages >= Self.tooLong, pages - begun >= Self.many {
            begun = pages
            return .waiting
        }
        if pages >= Self.tooLong || (pages >= Self.long && isNearlyCopied) { return .now }
        guard !isCopying, pages - begun >= Self.many else { return .none }
        (isCopying, begun) = (true, pages)
        return .beside
    }

    /// Takes note that copying has ended. `copied` is the number of pages of the log that are copied; nil if it has
    /// failed.
    package mutating func ended(_ step: Step, copied: Int?) {
        if step == .beside { isCopying = false }
        self.copied = copied ?? self.copied
    }
}
