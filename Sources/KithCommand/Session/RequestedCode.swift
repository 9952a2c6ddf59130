import Foundation
import KithModel

/// A code that `kith session register` has requested, stored in the device's folder until `kith session verify`.
struct RequestedCode: Codable, Sendable {
    let sent: SentCode
    let identity: Identity
    /// The user's name, which the profile gets after the code was checked; nil to leave the profile unchanged.
    var name: String?
    /// The name of the device that the user has given, which the session gets after the code was checked; nil to leave one that
    /// it has unchanged.
    var device: String?

    private static func file(in folder: URL) -> URL { folder.appending(path: "code.json") }

    /// The stored code; nil if there is none.
    static func read(from folder: URL) -> RequestedCode? {
        (try? Data(contentsOf: file(in: folder))).flatMap { try? JSONDecoder().decode(RequestedCode.self, from: $0) }
    }

    /// Stores the request. Only the session that requested the code can check it, but the file names a number or an email.
    func write(to folder: URL) throws {
        try OwnerOnlyFile.write(JSONEncoder().encode(self), to: Self.file(in: folder).path(percentEncoded: false))
    }

    /// Deletes the stored code.
    static func remove(from folder: URL) { try? FileManager.default.removeItem(at: file(in: folder)) }
}
