import Foundation
import KithServer
import Testing

@Suite("The room on the disk") struct DiskSpaceTests {
    @Test("is told as a part of the disk, and not told where there is none") func free() throws {
        let share = try #require(DiskSpace.free(at: NSTemporaryDirectory()))
        #expect(share > 0 && share <= 1)
        #expect(DiskSpace.free(at: "/nowhere/at/all") == nil)
        #if os(Linux)
            // A file system without blocks.
            #expect(DiskSpace.free(at: "/proc") == nil)
        #endif
    }
}
