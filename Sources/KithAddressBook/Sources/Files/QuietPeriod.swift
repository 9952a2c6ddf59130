import Dispatch
import Foundation
import Synchronization

/// Combines the events within a quiet period into one call.
///
/// - Important: Only used on its queue.
final class QuietPeriod: Sendable {
    private let queue: DispatchQueue
    private let length: Duration
    private let tell: @Sendable () -> Void
    private let isPending = Mutex(false)

    init(_ length: Duration, on queue: DispatchQueue, _ tell: @escaping @Sendable () -> Void) {
        (self.length, self.queue, self.tell) = (length, queue, tell)
    }

    func note() {
        let isFirst = isPending.withLock { isPending in
            defer { isPending = true }
            return !isPending
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + length / .seconds(1)) { [self] in
            // Reset before the call, so that events during the call cause another one.
            isPending.withLock { $0 = false }
            tell()
        }
    }
}
