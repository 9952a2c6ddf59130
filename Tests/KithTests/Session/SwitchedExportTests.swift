import Foundation
import Kith
import KithModel
import Testing

@Suite("An export while another process switches the account") struct SwitchedExportTests {
    @Test("Trap: the archive has parts of both accounts – none is written, and the earlier file stays")
    func mixed() async throws {
        let folder = TemporaryFolder()
        let (phone, _) = try await Phone.withList(file: folder.replica)
        let first = try #require(try await phone.client.session.account())
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        try await other.switchAccount()
        try await other.client.session.select(.account(first))
        let file = folder.url.appending(path: "archive.zip")
        try Data("before".utf8).write(to: file)
        phone.server.wire.instead = { request in
            if request.method == "GET" && request.path == "/v1/sessions" {
                try other.execute("UPDATE account SET isCurrent = NOT isCurrent")
            }
            return nil
        }
        #expect(await code { _ = try await phone.client.export(to: file) } == .refused)
        #expect(try Data(contentsOf: file) == Data("before".utf8))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false))
        #expect(files.count { $0.contains(".zip") } == 1)
    }
}
