import Kith
import KithModel

/// The notifications to send when a load has ended.
struct LoadNotices: Sendable {
    /// The sources that could not be read.
    var failures: [SourceStatus] = []
    /// The listeners, each with its change.
    var listeners: [(AsyncStream<Changed<Contact>>.Continuation, Changed<Contact>)] = []
    /// The callers whose request is answered.
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// What to do next.
    var action = AddressBookMachine.Action.rest
}
