public import Foundation
import GRDB
public import KithModel

extension Network {
    // MARK: Pictures, which are fetched when they are asked for

    /// How many bytes of pictures are kept of one account: those that were not used for the longest make room.
    public static let pictureBytes = 64 * 1024 * 1024

    /// Gives my profile a picture, in the two sizes that the app has made of it: JPEG, PNG or WebP.
    ///
    /// It shows here at once, and is sent before the profile names it. One that the server refuses comes back as a
    /// ``Rejection``.
    ///
    /// - Throws: ``KithError`` with `invalid` if it is too large, or of another kind.
    public func setPicture(small: Data, large: Data) async throws {
        try await edit { try $0.setPicture(small: small, large: large) }
    }

    /// Takes my profile's picture away.
    public func removePicture() async throws { try await edit { try $0.removePicture() } }

    /// My own picture; nil if I have none.
    ///
    /// - Throws: ``KithError`` with `offline` … if another device has set it and it cannot be fetched now.
    public func picture(_ size: PictureSize) async throws -> Data? {
        let (me, picture) = try await client.replica.read { ($1.id, try Profile.fetch($0, $1.key).picture) }
        guard let hash = size.hash(in: picture) else { return nil }
        return try await bytes(hash, of: me, size)
    }

    /// Someone's picture; nil if they have none, or do not show it to me.
    ///
    /// A contact's is fetched once and kept. When it has come, all who listen hear of an update with the key `picture`.
    ///
    /// - Throws: ``KithError`` with `offline`, `busy`, `noServer` … if it cannot be fetched now.
    public func picture(of id: AccountID, _ size: PictureSize) async throws -> Data? {
        let (me, contact) = try await client.replica.read { ($1.id, try NetworkContact.fetch($0, $1.key, id)) }
        if id == me { return try await picture(size) }
        // Of a stranger it is not known whether there is one.
        guard let contact, contact.isSomebody else {
            return try await bytes(nil, of: id, size)
        }
        guard let hash = size.hash(in: contact.picture) else { return nil }
        return try await bytes(hash, of: id, size)
    }

    private func bytes(_ hash: String?, of owner: AccountID?, _ size: PictureSize) async throws -> Data? {
        if let hash, let kept = try await kept(hash) { return kept }
        guard let owner else { return nil }
        let client = client
        let asker = try await client.session.account() ?? owner
        let key = PictureFetching.Key(asker: asker, owner: owner, size: size, hash: hash)
        return try await client.pictures.data(key) {
            let (bytes, me) = try await client.engine.withAccount { connection, token, me in
                (try await connection.picture(of: owner, size, token: token), me)
            }
            guard let bytes else { return nil }
            try await Self.keep(bytes, of: owner, for: me, client)
            return bytes
        }
    }

    private func kept(_ hash: String) async throws -> Data? {
        let now = client.replica.dependencies.now()
        let (kept, isUseStale) = try await client.replica.read { db, account in
            let cache = PictureCache(db: db, account: account.key)
            return (try cache.bytes(hash), try cache.isUseStale(hash, at: now))
        }
        if kept != nil && isUseStale {
            try await client.replica.write {
                try PictureCache(db: $0.db, account: $0.account.key).noteUse(hash, at: now)
            }
        }
        return kept
    }

    /// Keeps a picture that has come, under what it is, if anyone still shows it.
    private static func keep(_ bytes: Data, of owner: AccountID, for me: AccountID, _ client: KithClient) async throws {
        let hash = SHA256(Array(bytes)[...]).hex
        try await client.replica.write(origin: .server) { transaction in
            guard transaction.account.id == me else { return }
            let cache = PictureCache(db: transaction.db, account: transaction.account.key)
            let own = try Profile.fetch(transaction.db, transaction.account.key).picture
            let contacts = try cache.contacts(with: hash)
            guard !contacts.isEmpty || own?.small == hash || own?.large == hash else { return }
            try cache.save(bytes, hash, at: transaction.now, limit: client.pictureBytes)
            for contact in contacts { transaction.arrived[contact, default: []].insert(.picture) }
        }
    }
}
