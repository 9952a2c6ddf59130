#if KITH_SANITIZED
    import KithModel

    /// Hides Synchronization's `Mutex` in builds for ThreadSanitizer.
    typealias Mutex = SanitizedMutex
#endif
