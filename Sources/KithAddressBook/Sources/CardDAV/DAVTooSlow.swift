import Foundation
import Kith

/// Why no whole answer came: it had begun, but the time was over. Less of it may come in time.
package struct DAVTooSlow: Error {
    /// In the transport's own words.
    package let cause: any Error

    package init(cause: any Error) { self.cause = cause }
}
