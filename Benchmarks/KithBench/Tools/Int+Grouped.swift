import BenchReport

extension Int {
    /// The number with commas, such as `100,000`.
    var grouped: String { self < 1_000 ? String(self) : Amount.count(Double(self)).description }
}
