package import Foundation
package import KithModel

/// The right of one worker to deliver one message or webhook event. It ends by itself, in case the worker has died.
package struct DeliveryLease: Hashable, Sendable {
    /// A random name, by which the worker recognises its own lease.
    package let name: Data
    package let end: Timestamp

    /// A lease until `end`, with 16 random bytes.
    package init(until end: Timestamp, random: RandomBytes) {
        name = random.bytes(16)
        self.end = end
    }
}
