import Kith

/// The result of a load.
struct LoadResult: Sendable {
    var readings: [SourceReading] = []
    /// The contacts to show; nil if no source was ever read.
    var book: ContactBook?
    /// The differences from the contacts before; nil if there are none.
    var changed: Changed<Contact>?
}
