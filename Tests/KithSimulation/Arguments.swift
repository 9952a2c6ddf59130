/// What the command line asks for.
struct Arguments {
    var seeds: ClosedRange<UInt64>
    var stopsAtFirst = false

    init?(_ words: ArraySlice<String>) {
        guard let range = words.first, words.dropFirst().allSatisfy({ $0 == "--first" }) else { return nil }
        let ends = range.split(separator: "..", omittingEmptySubsequences: false).map { UInt64($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
        seeds = first...last
        stopsAtFirst = words.count > 1
    }
}
