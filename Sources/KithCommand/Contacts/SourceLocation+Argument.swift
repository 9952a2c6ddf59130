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
            throw Failure.usage("Only an account has a user, and “\(text)” is no address. Write https://…")
        }
        let url = URL(filePath: text.expandingHome()).absoluteURL.standardizedFileURL
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder) else {
            throw Failure.notFound("There is no file and no folder “\(text)”. Is the path right?")
        }
        self = isFolder.boolValue ? .folder(url) : .vCardFile(url)
    }

    private static func account(_ text: String, user: String?, withoutTLS: Bool) throws -> SourceLocation {
        guard var parts = URLComponents(string: text), !(parts.host ?? "").isEmpty else {
            throw Failure.usage("“\(text)” is not an address. Write it like https://dav.example.org.")
        }
        if parts.password != nil {
            throw Failure.usage(
                "Leave the password out of the address: others on this machine could read it. It will be asked for.")
        }
        guard let user = user ?? parts.user, !user.isEmpty else {
            throw Failure.usage("An account needs a name to sign in with: --user NAME")
        }
        parts.user = nil
        guard let url = parts.url else {
            throw Failure.usage("“\(text)” is not an address. Write it like https://dav.example.org.")
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
