import KithModel

extension RecordID {
    /// A new id of version 7, made of the time and of random bytes.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - random: Returns 32 fresh random bytes.
    init(at now: Timestamp, random: @escaping @Sendable () -> [UInt8]) {
        var generator = ByteRandomness(random)
        self.init(.version7(time: now, using: &generator))
    }
}
