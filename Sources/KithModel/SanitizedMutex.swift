#if KITH_SANITIZED
    import Foundation

    /// Replaces Synchronization's `Mutex` in builds for ThreadSanitizer, which does not recognize that type. On Linux
    /// its slow path is in a library that is not instrumented, so each contended access is reported as a race. This
    /// type uses a pthread mutex, which the sanitizer recognizes. `Scripts/races` builds with it:
    /// each module with mutexes has an alias `Mutex` for this type.
    // @unchecked: the value is only accessed while the lock is held.
    package struct SanitizedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        package init(_ initial: consuming sending Value) {
            lock = .allocate(capacity: 1)
            pthread_mutex_init(lock, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            pthread_mutex_destroy(lock)
            lock.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#endif
