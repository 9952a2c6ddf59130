import KithServer
import Testing

@Suite("When the log of a SQLite file is copied") struct CheckpointPlanTests {
    @Test("every thousand new pages are copied beside the writes, one copy at a time") func beside() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 999) == .none)
        #expect(plan.committed(pages: 1_001) == .beside)
        #expect(plan.committed(pages: 2_500) == .none)
        plan.ended(.beside, copied: 1_001)
        #expect(plan.committed(pages: 2_600) == .beside)
        plan.ended(.beside, copied: 2_600)
        #expect(plan.committed(pages: 3_599) == .none)
        #expect(plan.committed(pages: 3_600) == .beside)
    }

    @Test("the writer copies the last pages of a long log, but not while others copy") func lastPages() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 4_100) == .beside)
        #expect(plan.committed(pages: 4_150) == .none)
        plan.ended(.beside, copied: 4_100)
        #expect(plan.committed(pages: 4_300) == .now)
        plan.ended(.now, copied: 4_300)
        #expect(plan.committed(pages: 3) == .none)
        #expect(plan.committed(pages: 1_002) == .beside)
    }

    @Test("the writer does not copy many pages, unless the log is too long") func tooLong() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 5_000) == .beside)
        plan.ended(.beside, copied: 4_000)
        #expect(plan.committed(pages: 5_001) == .none)
        #expect(plan.committed(pages: 32_000) == .waiting)
    }

    @Test("with a log that is too long, the writer waits for those who read, but not at each commit") func readers() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 31_900) == .beside)
        plan.ended(.beside, copied: 20_000)
        #expect(plan.committed(pages: 32_000) == .now)
        plan.ended(.now, copied: 20_000)
        #expect(plan.committed(pages: 32_900) == .waiting)
        plan.ended(.waiting, copied: nil)
        #expect(plan.committed(pages: 33_000) == .now)
        plan.ended(.now, copied: 33_000)
        #expect(plan.committed(pages: 33_900) == .waiting)
        plan.ended(.waiting, copied: 33_900)
        #expect(plan.committed(pages: 3) == .none)
        #expect(plan.committed(pages: 1_003) == .beside)
    }

    @Test("after a copy that has failed, or has left much because of a reader, the next thousand pages lead to another")
    func failed() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 4_500) == .beside)
        plan.ended(.beside, copied: nil)
        #expect(plan.committed(pages: 4_600) == .none)
        #expect(plan.committed(pages: 5_600) == .beside)
        plan.ended(.beside, copied: 10)
        #expect(plan.committed(pages: 5_700) == .none)
        #expect(plan.committed(pages: 6_700) == .beside)
    }

    @Test("a log that has begun again is counted from its beginning") func beginsAgain() {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: 1_500) == .beside)
        plan.ended(.beside, copied: 1_500)
        #expect(plan.committed(pages: 8) == .none)
        #expect(plan.committed(pages: 1_008) == .beside)
    }
}
