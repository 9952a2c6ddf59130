import Foundation
import Kith
import KithModel
import Processes
import Testing

@Suite("A link that is given to a command") struct GivenLinkTests {
    private let folder = Folder()

    private static let base = "http://127.0.0.1:1"

    @Test(
        "A link for another command is refused, with the command for it",
        arguments: [
            (["lists", "accept"], "/s/ADA-TEA?c=email", "kith share use LINK"),
            (["lists", "accept"], "/v1/invitations/abc", "kith invite open LINK"),
            (["lists", "accept"], "/v1/public/abc", "kith lists read LINK"),
            (["lists", "read"], "/v1/links/abc", "kith lists accept LINK"),
            (["lists", "preview"], "/v1/invitations/abc", "kith invite open LINK"),
            (["invite", "open"], "/v1/links/abc", "kith lists accept LINK"),
            (["invite", "open"], "/s/ADA-TEA", "kith share use LINK"),
            (["share", "use"], "/v1/links/abc", "kith lists accept LINK"),
            (["share", "use"], "/v1/invitations/abc", "kith invite open LINK"),
            (["share", "use"], "/pair#aB3-_aB3-_aB3-_aB3-_aB3-_aB3-_aB3-_aB3-_aB3-_", "kith session join LINK"),
            (["session", "join"], "/s/ADA-TEA", "kith share use LINK"),
        ])
    func other(command: [String], path: String, right: String) async throws {
        let place = ["--data", folder.file("device").path(), "--server", Self.base]
        let run = try await Program.built.run(place + command + [Self.base + path], in: folder)
        #expect(run.status == 64 && run.complaints.contains("The command for it: \(right)"), "\(run.complaints)")
    }

    @Test("The link that the button of a page opens is read by each command too") func opening() async throws {
        let device = Device(folder, "device", server: URL(string: Self.base))
        let link = "kith://127.0.0.1:1/s/ADA-TEA?scheme=http"
        let used = try await device.json("--offline", "share", "use", link)
        #expect(used["claim"]["code"] == "ADA-TEA")
    }
}
