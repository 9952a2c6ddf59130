import Foundation

/// What became of the mutants, folder by folder.
struct Report {
    let chosen: [Candidate]
    let refused: Set<Int>
    let equivalents: Equivalents
    let isJSON: Bool

    /// The counts of one folder.
    struct Row: Codable {
        let folder: String
        var generated = 0
        var compiled = 0
        var killed = 0
        var survived = 0
        var unreached = 0
        var equivalent = 0
        var waiting = 0
        var seconds = 0.0

        /// Of those that were run and are not equivalent, how many in a hundred were killed.
        var percent: Double {
            let all = killed + survived + unreached
            return all == 0 ? 100 : 100 * Double(killed) / Double(all)
        }
    }

    /// A mutant that lives.
    struct Survivor: Codable {
        let candidate: Candidate
        let verdict: Result.Verdict
    }

    private struct Whole: Codable {
        let folders: [Row]
        let survivors: [Survivor]
    }

    static func line(_ candidate: Candidate, _ note: String) -> String {
        let place = "\(candidate.number)  \(candidate.file):\(candidate.line)  \(candidate.change)"
        return note.isEmpty ? place : "\(place)  [\(note)]"
    }

    func print(_ results: [String: Result]) throws {
        var rows: [String: Row] = [:]
        var survivors: [Survivor] = []
        for candidate in chosen {
            var row = rows[candidate.folder] ?? Row(folder: candidate.folder)
            defer { rows[candidate.folder] = row }
            row.generated += 1
            if refused.contains(candidate.number) { continue }
            row.compiled += 1
            if equivalents.keys.contains(candidate.key) {
                row.equivalent += 1
                continue
            }
            guard let result = results[candidate.key] else {
                row.waiting += 1
                continue
            }
            row.seconds += result.seconds
            switch result.verdict {
            case .killed: row.killed += 1
            case .survived: row.survived += 1
            case .unreached: row.unreached += 1
            }
            if result.verdict != .killed { survivors.append(Survivor(candidate: candidate, verdict: result.verdict)) }
        }
        let sorted = rows.values.sorted { $0.folder < $1.folder }
        if isJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let data = try encoder.encode(Whole(folders: sorted, survivors: survivors))
            Swift.print(String(decoding: data, as: UTF8.self))
            return
        }
        for survivor in survivors {
            Swift.print(
                "\(survivor.verdict.rawValue)  \(Self.line(survivor.candidate, ""))\n    \(survivor.candidate.text)")
        }
        for row in sorted {
            let percent = String(format: "%.1f", row.percent)
            Swift.print(
                """

                \(row.folder): \(percent) % killed in \(Int(row.seconds)) s
                    \(row.generated) generated, \(row.compiled) compile; \(row.killed) killed, \(row.survived) survived, \
                \(row.unreached) unreached, \(row.equivalent) equivalent, \(row.waiting) not run
                """)
        }
    }
}
