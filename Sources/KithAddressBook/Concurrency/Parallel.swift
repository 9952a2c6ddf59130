/// Performs work on `count` items in parallel, in chunks, and returns the results in order.
///
/// A chunk is long enough that its overhead is small, and short enough that no core is idle for long.
func inParallel<Result: Sendable>(
    _ count: Int, stretch: Int = 2_048, _ body: @escaping @Sendable (Range<Int>) -> Result
) async -> [Result] {
    await withTaskGroup(of: (Int, Result).self) { group in
        for start in stride(from: 0, to: count, by: stretch) {
            group.addTask { (start, body(start..<min(start + stretch, count))) }
        }
        var results: [(start: Int, result: Result)] = []
        for await (start, result) in group { results.append((start, result)) }
        return results.sorted { $0.start < $1.start }.map(\.result)
    }
}
