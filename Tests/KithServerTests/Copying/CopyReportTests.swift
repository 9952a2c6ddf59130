import KithServer
import Testing

@Suite("The report of a copy to PostgreSQL") struct CopyReportTests {
    @Test("Trap: The discovery keys stay behind, so that devices look up everybody again – the report names their file")
    func keys() {
        var (old, new) = (ServerConfiguration(), ServerConfiguration())
        (old.database, new.database) = ("/var/lib/kith/server.sqlite", "postgres://kith@db.example/kith")
        let first = CopyReport.nextSteps(afterCopying: old.database).first
        let advice = "Keep the discovery keys: rename \(old.discoveryKeyPath) to \(new.discoveryKeyPath), in the folder"
        #expect(first?.hasPrefix(advice) == true)
        #expect(first?.contains("--discovery-key-file") == true)
    }
}
