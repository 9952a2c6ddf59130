import Foundation
import KithModel

/// Kith in the comparison with other servers: two devices of one account.
final class KithPeer: SyncPeer {
    let name = "Kith"
    private let server: KithServe
    private let writer: SyncDevice
    private let reader: SyncDevice
    private let list: FeedID
    private var stored = 0

    init(_ run: Run) throws {
        server = try run.serve()
        writer = try SyncDevice(port: server.port)
        list = try writer.makeList()
        reader = SyncDevice(writer.session, port: server.port)
        try reader.catchUp()
    }

    func put(_ record: PeerRecord) throws {
        try writer.glance(at: writer.connection.ask(writer.request(writer.items(stored..<(stored + 1), in: list))))
        stored += 1
    }

    func readNews() throws -> Int { try reader.catchUp() }

    func readAll() throws -> Int {
        // The list, its member and the membership are records too.
        try SyncDevice(writer.session, port: server.port).catchUp() - 3
    }
}
