public import Foundation
public import KithModel

extension Changes {
    /// My profile.
    public func profile() throws -> Profile { Profile(try transaction.record(.profile)?.fields ?? [:]) }

    /// Changes the current state of my profile. Only the fields that `change` has changed are written.
    public func updateProfile(_ change: (inout Profile) throws -> Void) throws {
        let before = try profile()
        var after = before
        try change(&after)
        let old = before.fields
        try writeProfile(after.fields.filter { old[$0.key] != $0.value })
    }

    /// Sets the name of my profile to one text: see ``Network/setName(_:)``.
    public func setName(_ name: String) throws {
        let current = try transaction.record(.profile)
        // All parts are written, even if this device does not know the profile yet, so that none of an earlier name remains.
        let fields: Fields = ["given": .text(name), "family": .null, "nick": .null]
        try edit(.profile, .set(fields), creating: current == nil ? .anyID : .no)
    }

    /// Stores an email that I have not proved: see ``Network/setClaimedEmail(_:)``.
    public func setClaimedEmail(_ email: String?) throws {
        var address: EmailAddress?
        if let email {
            guard let parsed = EmailAddress(email) else {
                throw KithError(.invalid, "“\(email)” is no email, such as ada@example.com.", field: "claimedEmail")
            }
            address = parsed
        }
        try updateProfile { $0.claimedEmail = address?.text }
    }

    /// Sets the picture of my profile: see ``Network/setPicture(small:large:)``.
    public func setPicture(small: Data, large: Data) throws {
        let isOne = small == large
        let small = try NewPicture(small, .small, isOne ? "picture" : "small picture")
        let large = try NewPicture(large, .large, isOne ? "picture" : "large picture")
        let cache = PictureCache(transaction.store)
        for picture in [small, large] {
            try cache.save(
                picture.bytes, picture.hash, isUnsent: true, at: transaction.now, limit: Network.pictureBytes)
        }
        try writeProfile([PictureSize.small.field: .text(small.hash), PictureSize.large.field: .text(large.hash)])
    }

    /// Removes the picture of my profile.
    public func removePicture() throws {
        try writeProfile([PictureSize.small.field: .null, PictureSize.large.field: .null])
    }

    private func writeProfile(_ fields: Fields) throws {
        let current = try transaction.record(.profile)
        let changed = fields.filter { (current?.fields[$0.key] ?? .null) != $0.value }
        if !changed.isEmpty { try edit(.profile, .set(changed), creating: current == nil ? .anyID : .no) }
    }
}

/// A picture from the app. Its size and type are checked; it is never decoded.
private struct NewPicture {
    let bytes: Data
    let hash: String

    init(_ bytes: Data, _ size: PictureSize, _ name: String) throws {
        if bytes.count > size.limit {
            throw KithError(
                .invalid, "The \(name) has \(bytes.count) bytes; at most \(size.limit) fit. Make it smaller.",
                field: size.field)
        }
        if PictureType(bytes) == nil {
            throw KithError(
                .invalid, "The \(name) is neither JPEG nor PNG nor WebP.", field: size.field)
        }
        self.bytes = bytes
        hash = SHA256(Array(bytes)[...]).hex
    }
}
