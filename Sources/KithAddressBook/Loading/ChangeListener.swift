import Kith
import KithModel

/// A stream of changes.
struct ChangeListener {
    let continuation: AsyncStream<Changed<Contact>>.Continuation
    /// Whether it has received the first state.
    var hasState: Bool
}
