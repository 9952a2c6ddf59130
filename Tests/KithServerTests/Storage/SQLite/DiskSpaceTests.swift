import Foundation
import KithServer
import Testing

@Suite("The free space on the disk") struct DiskSpaceTests {
    @Test("is reported as a fraction of the disk, and not reported if there is no disk") func free() throws {
        let share = try #require(DiskSpace.free(at: NSTemporaryDirectory()))
        #expect(share > 0 && share <= 1)
        #expect(DiskSpace.free(at: "/nowhere/at/all") == nil)
        #if os(Linux)
            // A file system without blocks.
            #expect(DiskSpace.free(at: "/proc") == nil)
        #endif
    }
}
