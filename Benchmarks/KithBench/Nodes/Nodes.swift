import BenchReport
import Foundation

/// Measures pushes and rounds on one, two and three nodes that share a PostgreSQL, beside the same statements from
/// pgbench in the same PostgreSQL. If it `isSmoke`, everything is small.
func measureNodes(in folder: URL, isSmoke: Bool) throws {
    let run = Run("nodes", folder: folder, isSmoke: isSmoke) { line in
        print(Report.text(line))
        // Show each line at once, even if the output is a pipe.
        fflush(nil)
    }
    guard let study = try NodeStudy(run) else {
        return run.remark("PostgreSQL is not installed. ./bench nodes installs it.")
    }
    print("\(Machine.current)\n\n\(Report.textHeader)")
    try study.measure()
}
