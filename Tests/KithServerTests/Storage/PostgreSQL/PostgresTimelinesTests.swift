import KithServer
import Testing

@Suite("The timelines of PostgreSQL") struct PostgresTimelinesTests {
    private var timelines = PostgresTimelines()

    /// Records timelines of one cluster.
    private mutating func see(_ numbers: UInt32..., of cluster: Int64 = 1) -> [PostgresTimelines.Finding] {
        numbers.map { timelines.see(PostgresTimeline($0, of: cluster)) }
    }

    @Test("The name of a file of the log begins with the timeline, in hexadecimal digits")
    func names() {
        #expect(PostgresTimeline(file: "000000010000000000000001", of: 7) == PostgresTimeline(1, of: 7))
        #expect(PostgresTimeline(file: "0000001F00000003000000A0", of: 7) == PostgresTimeline(31, of: 7))
        for text in ["", "00000001", "0000000100000000000000012", "x00000010000000000000001"] {
            #expect(PostgresTimeline(file: text, of: 7) == nil, "\(text)")
        }
    }

    @Test("A higher timeline is a failover; a lower one is an old primary, which is reported once")
    mutating func findings() {
        let found = see(3, 3, 4, 3, 3, 4, 6, 4)
        #expect(
            found == [
                .newest, .newest, .failover(from: 3), .old(newest: 4, isReported: false),
                .old(newest: 4, isReported: true), .newest, .failover(from: 4), .old(newest: 6, isReported: false),
            ])
        #expect(timelines.newest == PostgresTimeline(6, of: 1))
    }

    @Test("Trap: After pg_upgrade the timelines begin again – another cluster is no old primary")
    mutating func otherCluster() {
        _ = see(5)
        let upgraded = see(1, 2, 1, of: 2)
        #expect(upgraded == [.newest, .failover(from: 1), .old(newest: 2, isReported: false)])
    }

    @Test("A connection to the old primary is known as such after a failover") mutating func isOld() {
        let first = PostgresTimeline(1, of: 1)
        #expect(!first.isOld(after: nil))
        _ = see(1)
        #expect(!first.isOld(after: timelines.newest))
        _ = see(2)
        #expect(first.isOld(after: timelines.newest))
    }
}
