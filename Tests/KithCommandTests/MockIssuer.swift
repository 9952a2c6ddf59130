import Foundation
import Processes

/// A real issuer: oidc-provider-mock in its own process.
struct MockIssuer {
    let url: String
    private let process: ChildProcess

    /// Why the tests with a real issuer are skipped; nil if they can run.
    static let missing = Peers.missing("oidc_provider_mock")

    init(in folder: Folder) async throws {
        process = try await ChildProcess(
            Peers.python, [Peers.script("oidc_issuer.py")], complaints: folder.file("issuer.log"))
        guard let port = await process.lines.first(where: { _ in true }) else {
            throw InVain("The issuer did not start.")
        }
        url = "http://127.0.0.1:\(port)"
    }

    /// Writes the file of issuers for a server, which contains only this issuer.
    func write(to folder: Folder) throws -> URL {
        let secret = try folder.write("any secret\n", to: "issuer.secret")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        let text = """
            [{"name":"mock","display-name":"Mock","url":"\(url)","client-id":"kith","client-secret-file":"\(secret)",
              "vouches-for-emails":true}]
            """
        return URL(filePath: try folder.write(text, to: "issuers.json"))
    }

    /// A browser opens `address`, signs in as `subject`, and follows the redirect.
    func browse(_ address: String, as subject: String, in folder: Folder) async throws {
        let script = "import sys, urllib.request as r; r.urlopen(sys.argv[1], ('sub=' + sys.argv[2]).encode()).read()"
        let browser = try await FinishedProcess(Peers.python, ["-c", script, address, subject])
        guard browser.status == 0 else { throw InVain(String(decoding: browser.complaints, as: UTF8.self)) }
    }

    func stop() async {
        process.signal(SIGTERM)
        _ = await process.ended()
    }
}
