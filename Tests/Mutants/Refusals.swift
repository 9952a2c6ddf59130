import Foundation

/// Which mutants the compiler refuses, from what it says.
struct Refusals {
    private let manifest: MutatedCopy.Manifest
    private let copy: String
    private let byNumber: [Int: Candidate]

    init(_ manifest: MutatedCopy.Manifest, copy: URL) {
        self.manifest = manifest
        self.copy = copy.path(percentEncoded: false)
        self.byNumber = Dictionary(manifest.candidates.map { ($0.number, $0) }) { first, _ in first }
    }

    private struct Fault: Hashable {
        let file: String
        let line: Int
        let column: Int
    }

    /// The keys of the mutants to leave out.
    func keys(for log: String) throws -> Set<String> {
        var faults: Set<Fault> = []
        for match in log.matches(of: #/(/[^:\n]+\.swift):(\d+):(\d+): error: /#) {
            let path = String(match.1)
            guard path.hasPrefix(copy), let line = Int(match.2), let column = Int(match.3) else { continue }
            let file = String(path.dropFirst(copy.count)).drop { $0 == "/" }
            faults.insert(Fault(file: String(file), line: line, column: column))
        }
        var numbers: Set<Int> = []
        var explained: Set<Fault> = []
        for fault in faults {
            for trace in manifest.traces[fault.file] ?? []
            where trace.line == fault.line && trace.columns.contains(fault.column) {
                numbers.insert(trace.number)
                explained.insert(Fault(file: fault.file, line: fault.line, column: 0))
            }
        }
        for fault in faults where !explained.contains(Fault(file: fault.file, line: fault.line, column: 0)) {
            numbers.formUnion(suspects(of: fault))
        }
        // What is left unexplained may be a consequence of the rest.
        guard !numbers.isEmpty else { throw Trouble("The build fails, and no mutant explains why.") }
        return Set(numbers.compactMap { byNumber[$0]?.key })
    }

    /// The mutants that may be to blame where the place says nothing: the bolder ones first, the others another time.
    private func suspects(of fault: Fault) -> [Int] {
        let traces = manifest.traces[fault.file] ?? []
        var near = traces.filter { $0.line == fault.line }
        if near.isEmpty {
            let around = traces.filter { $0.line <= fault.line && fault.line <= $0.lastLine }
            let narrowest = around.map { $0.lastLine - $0.line }.min()
            near = around.filter { $0.lastLine - $0.line == narrowest }
        }
        for kinds: [Candidate.Kind] in [[.swapped], [.shifted, .flipped], Candidate.Kind.allCases] {
            let suspects = near.map(\.number).filter { number in
                byNumber[number].map { kinds.contains($0.kind) } ?? false
            }
            if !suspects.isEmpty { return suspects }
        }
        // A function that may now end without its value is blamed at its last line.
        let jumps = ["return", "continue", "break"]
        return traces.filter { trace in
            guard let candidate = byNumber[trace.number], candidate.kind == .removed else { return false }
            return (fault.line - 80...fault.line).contains(trace.line)
                && jumps.contains { candidate.change.hasPrefix($0) }
        }.map(\.number)
    }
}
