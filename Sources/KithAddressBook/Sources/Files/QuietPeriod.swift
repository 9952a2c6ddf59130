import Dispatch
import Foundation
import Synchronization

/// Gathers what happens within a quiet period, and tells it as one.
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
            // First, so that what happens while it is told is told again.
            isPending.withLock { $0 = false }
            tell()
        }
    }
}
