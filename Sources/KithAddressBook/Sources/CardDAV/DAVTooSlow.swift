/// The answer had begun but did not end in time. A request for fewer cards may succeed.
package struct DAVTooSlow: Error {
    /// The transport's own error.
    package let cause: any Error

    package init(cause: any Error) { self.cause = cause }
}
