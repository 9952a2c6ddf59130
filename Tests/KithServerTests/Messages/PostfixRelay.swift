import Foundation
import KithServer
import Processes

/// Debian's Postfix as a mail relay with STARTTLS, with all its files in a test's folder. It delivers to mailboxes of its
/// own: Ada's, and that for bounces. It accepts emails to gone@example.com, and finds later that there is no such user.
final class PostfixRelay: Sendable {
    let port: Int
    /// The relay's own certificate, which nobody has signed.
    let certificate: URL
    private let process: ChildProcess
    private let folder: URL

    private static let program = URL(filePath: "/usr/sbin/postfix")

    /// Why the tests with Postfix are skipped; nil if they can run.
    static let missing: String? = {
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return "postfix is not installed" }
        return geteuid() == 0 ? nil : "only root can start Postfix"
    }()

    /// Starts it.
    ///
    /// - Parameters:
    ///   - folder: Its folder.
    ///   - refusal: A restriction of `smtpd_recipient_restrictions` that refuses emails; nil for none.
    /// - Throws: ``InVain`` if it does not start.
    init(in folder: Folder, refusing refusal: String? = nil) async throws {
        self.folder = folder.url
        certificate = try await MailRelay.makeCertificate(in: folder).certificate
        for name in ["conf", "queue", "data", "mail"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        // Postfix writes its data and the mails as other users, who may enter the folder, too.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        try await Self.run("/usr/bin/chown", ["postfix", folder.url.appending(path: "data").path])
        try await Self.run("/usr/bin/chown", ["nobody", folder.url.appending(path: "mail").path])
        port = try FreePort.find()
        let configuration = folder.url.appending(path: "conf")
        try Data(Self.main(folder.url.path, refusal).utf8).write(to: configuration.appending(path: "main.cf"))
        try Data(Self.services(port).utf8).write(to: configuration.appending(path: "master.cf"))
        process = try await ChildProcess(
            Self.program, ["-c", configuration.path, "start-fg"], complaints: folder.url.appending(path: "postfix.out"))
        let (process, port) = (process, port)
        do {
            try await Limit("Postfix listens").until {
                guard process.isRunning else { throw InVain("Postfix has not started.") }
                return (try? Wire(URL(string: "http://127.0.0.1:\(port)/")!)) != nil  // A valid address.
            }
        } catch {
            await Self.stop(process, in: folder.url)
            let log = try? String(contentsOf: folder.url.appending(path: "postfix.log"), encoding: .utf8)
            throw InVain("\(error) \(log ?? "It has no log.")")
        }
    }

    /// Waits until a mailbox has `count` mails, and returns their contents.
    func mails(_ count: Int, of name: String = "ada") async throws -> [String] {
        let box = folder.appending(path: "mail/\(name)/new")
        try await Limit("\(name) has \(count) mails").until {
            ((try? FileManager.default.contentsOfDirectory(atPath: box.path)) ?? []).count >= count
        }
        return try FileManager.default.contentsOfDirectory(at: box, includingPropertiesForKeys: nil).map {
            try String(contentsOf: $0, encoding: .utf8)
        }
    }

    /// Ends it in good order, with all the processes that it has started. A signal would end only the script that has
    /// started them.
    func stop() async { await Self.stop(process, in: folder) }

    private static func stop(_ process: ChildProcess, in folder: URL) async {
        _ = try? await FinishedProcess(program, ["-c", folder.appending(path: "conf").path, "stop"])
        await process.killed()
    }

    private static func run(_ program: String, _ arguments: [String]) async throws {
        let run = try await FinishedProcess(URL(filePath: program), arguments)
        guard run.status == 0 else { throw InVain(String(decoding: run.complaints, as: UTF8.self)) }
    }

    private static func main(_ folder: String, _ refusal: String?) -> String {
        """
        compatibility_level = 3.6
        queue_directory = \(folder)/queue
        data_directory = \(folder)/data
        maillog_file = \(folder)/postfix.log
        maillog_file_prefixes = /
        myhostname = relay.example
        mydestination =
        alias_maps =
        inet_interfaces = 127.0.0.1
        inet_protocols = ipv4
        mynetworks = 127.0.0.0/8
        smtpd_recipient_restrictions = \(refusal.map { $0 + ", " } ?? "")permit_mynetworks, reject
        smtpd_tls_security_level = encrypt
        smtpd_tls_cert_file = \(folder)/certificate.pem
        smtpd_tls_key_file = \(folder)/key.pem
        smtpd_tls_received_header = yes
        recipient_delimiter = +
        virtual_mailbox_domains = example.com, kith.example
        virtual_mailbox_base = \(folder)/mail
        virtual_mailbox_maps = inline:{ada@example.com=ada/ gone@example.com=gone/ bounces@kith.example=bounces/}
        transport_maps = inline:{gone@example.com=gone:}
        virtual_uid_maps = static:65534
        virtual_gid_maps = static:65534

        """
    }

    private static func services(_ port: Int) -> String {
        """
        127.0.0.1:\(port) inet n - n - - smtpd
        cleanup unix n - n - 0 cleanup
        qmgr unix n - n 300 1 qmgr
        rewrite unix - - n - - trivial-rewrite
        bounce unix - - n - 0 bounce
        defer unix - - n - 0 bounce
        trace unix - - n - 0 bounce
        proxymap unix - - n - - proxymap
        anvil unix - - n - 1 anvil
        tlsmgr unix - - n 1000? 1 tlsmgr
        virtual unix - n n - - virtual
        error unix - - n - - error
        gone unix - n n - - pipe user=nobody argv=/bin/sh -c {echo no such user; exit 67}
        retry unix - - n - - error
        postlog unix-dgram n - n - 1 postlogd

        """
    }
}
