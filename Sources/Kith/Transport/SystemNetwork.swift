#if canImport(Darwin)
    import Network

    /// The device's network, as the system reports it.
    enum SystemNetwork {
        /// Calls `act` if there is a network, and each time that it changes, until the task is cancelled.
        static func follow(_ act: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
            Task {
                for await path in NWPathMonitor() where path.status == .satisfied && !Task.isCancelled { await act() }
            }
        }
    }
#endif
