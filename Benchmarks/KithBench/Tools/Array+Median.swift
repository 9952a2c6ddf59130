extension [Double] {
    /// The median; 0 of nothing.
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
