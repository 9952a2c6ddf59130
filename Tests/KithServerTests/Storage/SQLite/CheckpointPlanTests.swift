import KithServer
import Testing

@Suite("When the log of a SQLite file is copied") struct CheckpointPlanTests {
    @Test("every four thousand new pages are copied beside the writes, one copy at a time") func beside() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 3_999) == .none)
        #expect(plan.committed(pages: 4_001) == .beside)
        #expect(plan.committed(pages: 9_000) == .none)
        plan.ended(.beside, copied: 4_001)
        #expect(plan.committed(pages: 9_100) == .beside)
        plan.ended(.beside, copied: 9_100)
        #expect(plan.committed(pages: 13_099) == .none)
        #expect(plan.committed(pages: 13_100) == .beside)
    }

    @Test("the writer copies the last pages of a long log, but not while others copy") func lastPages() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 8_100) == .beside)
        #expect(plan.committed(pages: 8_150) == .none)
        plan.ended(.beside, copied: 8_100)
        #expect(plan.committed(pages: 8_300) == .now)
        plan.ended(.now, copied: 8_300)
        #expect(plan.committed(pages: 3) == .none)
        #expect(plan.committed(pages: 4_002) == .beside)
    }

    @Test("the writer does not copy many pages, unless the log is too long") func tooLong() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 9_000) == .beside)
        plan.ended(.beside, copied: 8_000)
        #expect(plan.committed(pages: 9_001) == .none)
        #expect(plan.committed(pages: 32_000) == .waiting)
    }

    @Test("with a log that is too long, the writer waits for those who read, but not at each commit") func readers() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 31_900) == .beside)
        plan.ended(.beside, copied: 20_000)
        #expect(plan.committed(pages: 32_000) == .now)
        plan.ended(.now, copied: 20_000)
        #expect(plan.committed(pages: 35_900) == .waiting)
        plan.ended(.waiting, copied: nil)
        #expect(plan.committed(pages: 36_000) == .now)
        plan.ended(.now, copied: 36_000)
        #expect(plan.committed(pages: 39_900) == .waiting)
        plan.ended(.waiting, copied: 39_900)
        #expect(plan.committed(pages: 3) == .none)
        #expect(plan.committed(pages: 4_003) == .beside)
    }

    @Test("after a copy that has failed, or has left much because of a reader, as many pages again lead to another")
    func failed() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 8_500) == .beside)
        plan.ended(.beside, copied: nil)
        #expect(plan.committed(pages: 8_600) == .none)
        #expect(plan.committed(pages: 12_600) == .beside)
        plan.ended(.beside, copied: 10)
        #expect(plan.committed(pages: 12_700) == .none)
        #expect(plan.committed(pages: 16_700) == .beside)
    }

    @Test("a log that has begun again is counted from its beginning") func beginsAgain() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 5_500) == .beside)
        plan.ended(.beside, copied: 5_500)
        #expect(plan.committed(pages: 8) == .none)
        #expect(plan.committed(pages: 4_008) == .beside)
    }
}
