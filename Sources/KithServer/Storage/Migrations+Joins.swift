extension Migrations {
    /// An index that counts those who have joined a programme within some minutes.
    static let joins = ["CREATE INDEX attribution_bound ON attribution (programme, bound, account)"]
}
