extension Duration {
    /// The duration in words, rounded up: “40 seconds”, “5 minutes”, “3 hours”, “13 days”.
    ///
    /// The unit is the largest in which the duration is a whole number or at least two.
    public var words: String {
        let seconds = max(0, components.seconds + (components.attoseconds > 0 ? 1 : 0))
        let units: [(name: String, seconds: Int64)] = [("day", 86_400), ("hour", 3_600), ("minute", 60)]
        for (name, length) in units where seconds >= length {
            let count = (seconds + length - 1) / length
            if seconds % length == 0 || seconds >= 2 * length { return "\(count) \(name)\(count == 1 ? "" : "s")" }
        }
        return "\(seconds) second\(seconds == 1 ? "" : "s")"
    }
}
