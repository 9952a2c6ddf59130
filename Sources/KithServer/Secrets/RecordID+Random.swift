import KithModel

extension RecordID {
    /// A new id of version 7, made of the time and of random bytes.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - random: The source of random bytes.
    init(at now: Timestamp, random: RandomBytes) {
        var generator = RandomNumbers(random)
        self.init(.version7(time: now, using: &generator))
    }
}
