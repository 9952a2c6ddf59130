import KithServer
import Testing

@Suite("Whether writes are accepted") struct WriteHealthTests {
    @Test("Below five percent of free disk no writes are accepted, and the reason says how much is free")
    func disk() {
        var health = WriteHealth(freeDisk: 5)
        #expect(health.needsMeasure(at: .zero))
        health.measured(0.05, at: .zero)
        #expect(!health.isFull && health.reason == nil)
        #expect(!health.needsMeasure(at: .milliseconds(999)) && health.needsMeasure(at: .seconds(1)))
        health.measured(0.049, at: .seconds(1))
        #expect(health.isFull)
        #expect(health.reason == "The server's disk is nearly full: 4 % of it is free, and writes need 5 %.")
        health.measured(nil, at: .seconds(2))
        #expect(!health.isFull && health.reason == nil)
    }

    @Test("After a failed write only another write can tell whether writes succeed")
    func failure() {
        var health = WriteHealth(freeDisk: 5)
        #expect(health.needsProbe(at: .zero), "Nothing was written yet.")
        health.succeeded(at: .zero)
        #expect(!health.needsProbe(at: .seconds(9)) && health.needsProbe(at: .seconds(10)))
        health.failed(because: "The disk is gone.", at: .seconds(1))
        #expect(health.reason == "The disk is gone." && health.needsProbe(at: .seconds(1)))
        health.succeeded(at: .seconds(2))
        #expect(health.reason == nil && !health.needsProbe(at: .seconds(2)))
    }

    @Test("A full disk counts for a minute, because a small write finds room where others do not") func fullDisk() {
        var health = WriteHealth(freeDisk: 5)
        let reason = "The disk is full."
        health.failed(because: reason, onFullDisk: true, at: .zero)
        health.succeeded(at: .seconds(59))
        #expect(health.reason == reason && health.fullDisk(at: .seconds(59)) == reason)
        health.failed(because: reason, onFullDisk: true, at: .seconds(59))
        #expect(health.fullDisk(at: .seconds(118)) == reason)
        #expect(health.fullDisk(at: .seconds(119)) == nil && health.needsProbe(at: .seconds(119)))
        health.succeeded(at: .seconds(119))
        #expect(health.reason == nil)
        health.failed(because: reason, onFullDisk: true, at: .seconds(120))
        health.failed(because: "The disk is gone.", at: .seconds(121))
        #expect(health.fullDisk(at: .seconds(121)) == nil)
        health.succeeded(at: .seconds(122))
        #expect(health.reason == nil, "Only a full disk counts for longer.")
    }

    @Test("Damage is new once, and stays, whatever is written") func damage() {
        var health = WriteHealth(freeDisk: 5)
        #expect(health.damage == .none)
        #expect(health.found(.stopping) && !health.found(.stopping))
        health.succeeded(at: .seconds(1))
        #expect(health.damage == .stopping)
    }

    @Test("Damage that does not stop the server is new once, too, and later damage can stop it") func damageOfARecord()
    {
        var health = WriteHealth(freeDisk: 5)
        #expect(health.found(.tolerated) && !health.found(.tolerated))
        #expect(health.damage == .tolerated)
        #expect(health.found(.stopping) && health.damage == .stopping)
        #expect(!health.found(.tolerated) && !health.found(.stopping))
        #expect(health.damage == .stopping)
    }

    @Test("That the file was moved is new once") func moved() {
        var health = WriteHealth(freeDisk: 5)
        #expect(health.foundMoved() && !health.foundMoved() && health.isMoved)
    }
}
