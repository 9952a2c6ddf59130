import Foundation
import Kith
import KithAddressBook

extension SourceLocation {
    /// What `text` names: an account by its address, else a file or a folder by its path.
    ///
    /// The address may contain the user name, as `https://ada@dav.example.org`; a password may not.
    ///
    /// - Throws: ``Failure`` if it is neither, or if nothing exists there.
    package init(_ text: String, user: String?, withoutTLS: Bool = false) throws {
        if text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") {
            self = try Self.account(text, user: user, withoutTLS: withoutTLS)
            return
        }
        if user != nil {
            throw Failure(.usage, "usage", "Only an account has a user, and “\(text)” is no address. Write https://…")
        }
        let url = URL(filePath: (text as NSString).expandingTildeInPath).absoluteURL.standardizedFileURL
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder) else {
            throw Failure(.notFound, "notFound", "There is no file and no folder “\(text)”. Is the path right?")
        }
        self = isFolder.boolValue ? .folder(url) : .vCardFile(url)
    }

    private static func account(_ text: String, user: String?, withoutTLS: Bool) throws -> SourceLocation {
        guard var parts = URLComponents(string: text), !(parts.host ?? "").isEmpty else {
            throw Failure(.usage, "usage", "“\(text)” is not an address. Write it like https://dav.example.org.")
        }
        if parts.password != nil {
            throw Failure(
                .usage, "usage",
                "Leave the password out of the address: others on this machine could read it. It will be asked for.")
        }
        guard let user = user ?? parts.user, !user.isEmpty else {
            throw Failure(.usage, "usage", "An account needs a name to sign in with: --user NAME")
        }
        parts.user = nil
        guard let url = parts.url else {
            throw Failure(.usage, "usage", "“\(text)” is not an address. Write it like https://dav.example.org.")
        }
        if PasswordTrust(address: url, withoutTLS: withoutTLS).refusal == .unencrypted {
            throw Failure(
                .usage, "withoutTLS",
                "Over http everyone on the way can read the password. Write https://…, or add --without-tls.")
        }
        return .cardDAV(url, user: user, withoutTLS: withoutTLS)
    }

    /// The kind of source, as a word for programs.
    package var kind: String {
        switch self {
        case .vCardFile: "file"
        case .folder: "folder"
        case .cardDAV: "account"
        case .device: "device"
        }
    }

    /// The location, as people write it.
    package var shown: String {
        switch self {
        case .vCardFile(let url), .folder(let url):
            // A folder's path ends with a slash, which people do not write.
            url.path(percentEncoded: false).withoutSlashAtEnd
        case .cardDAV(let url, let user, _): "\(user) at \(url.absoluteString)"
        case .device: "this device"
        }
    }
}

extension String {
    fileprivate var withoutSlashAtEnd: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}

/// A password, from any place except the command line, which other users of the machine can read.
struct SecretText: Sendable {
    /// The variable of the environment that may hold it.
    static let variable = "KITH_PASSWORD"

    /// The file with the password in its first line, if one was named; `-` is standard input.
    let file: String?

    /// The password of `user`: from the file, else from the environment, else from a prompt on the terminal.
    func read(
        for user: String, _ console: Console, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String {
        if let file { return try firstLine(of: file) }
        if let set = environment[Self.variable], !set.isEmpty { return set }
        if let typed = console.secret("Password of \(user.printable): "), !typed.isEmpty { return typed }
        throw Failure(
            .usage, "password",
            "The password is missing. Name a file that has it: --password-file, or set \(Self.variable).")
    }

    private func firstLine(of file: String) throws -> String {
        let data = try NamedFile(file).read(upTo: 4_096)
        guard let line = String(data: data, encoding: .utf8)?.split(whereSeparator: \.isNewline).first else {
            throw Failure(.failed, "password", "“\(file)” has no password in its first line.")
        }
        return String(line)
    }
}
