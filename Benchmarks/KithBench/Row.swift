/// A row of the table: one or more measurements that belong together.
struct Row: Sendable {
    /// The name that `./bench` takes.
    let name: String
    let about: String
    let measure: @Sendable (Run) async throws -> Void

    init(_ name: String, _ about: String, measure: @escaping @Sendable (Run) async throws -> Void) {
        self.name = name
        self.about = about
        self.measure = measure
    }

    /// In the order of the table.
    static let all = device + server + live + network
}
