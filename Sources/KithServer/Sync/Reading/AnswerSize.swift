import KithModel

/// How large an answer may become.
///
/// The answer always has the records that the mutations named. They count toward its bytes, but not toward its records.
package struct AnswerSize: Hashable, Sendable {
    /// The maximum number of new records.
    package let records: Int
    /// The number of bytes of fields at which the answer ends. The record that reaches it is still read, so that each
    /// answer makes progress.
    package let bytes: Int

    package init(records: Int, bytes: Int) { (self.records, self.bytes) = (records, bytes) }

    /// A whole answer.
    package static let whole = AnswerSize(records: Limits.page, bytes: Limits.pageBytes)
    /// A small answer, which does not wait in the queue of large requests. A device that needs more asks again at once.
    package static let small = AnswerSize(records: 200, bytes: 64 << 10)
    /// An answer that SQLite reads on its writing connection, for which other writes wait.
    package static let onWriter = AnswerSize(records: 20, bytes: 64 << 10)

    /// This size with at most `page` records.
    package func limited(to page: Int) -> AnswerSize { AnswerSize(records: min(records, page), bytes: bytes) }
}
