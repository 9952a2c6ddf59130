import KithServer
import Testing

@Suite("How many writes share a commit of SQLite") struct CommitPlanTests {
    /// The time for the writes after commits that have waited so long for the disk, in microseconds.
    private func time(after disk: Int...) -> Duration {
        var plan = CommitPlan()
        for disk in disk { plan.committed(in: .microseconds(disk)) }
        return plan.timeOfWrites
    }

    @Test("before the first commit, and on a fast disk, writes have two milliseconds") func fastDisk() {
        #expect(time() == .milliseconds(2))
        #expect(time(after: 0) == .milliseconds(2))
        #expect(time(after: 1_000) == .milliseconds(2))
    }

    @Test("on a slow disk, writes have twice as long as the last commit took") func slowDisk() {
        #expect(time(after: 1_001) == .microseconds(2_002))
        #expect(time(after: 5_000) == .milliseconds(10))
        #expect(time(after: 5_000, 300) == .milliseconds(2))
    }

    @Test("however slow the disk is, writes have at most a hundred milliseconds") func slowestDisk() {
        #expect(time(after: 50_000) == .milliseconds(100))
        #expect(time(after: 50_001) == .milliseconds(100))
        #expect(time(after: 3_000_000) == .milliseconds(100))
    }
}
