import Kith
import KithModel

/// A listener to changes, through a stream.
struct ChangeListener {
    let continuation: AsyncStream<Changed<Contact>>.Continuation
    /// Whether it has received the first state.
    var hasState: Bool
}
