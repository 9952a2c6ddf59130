public import Foundation
public import KithModel

extension Network {
    // MARK: Requests

    /// Asks someone to be connected; accepts, if they have asked me. Where a request has been sent already, it is sent again.
    ///
    /// - Throws: ``KithError`` with `yourself`, `alreadyConnected`, `tooSoon`, `full`, or `forbidden` if I have blocked them.
    public func connect(_ id: AccountID) async throws { try await edit { try $0.connect(id) } }

    /// Accepts a request, also one that I had declined.
    ///
    /// - Throws: ``KithError`` with `noRequest`, `alreadyConnected`, or `forbidden` if I have blocked them.
    public func accept(_ id: AccountID) async throws { try await edit { try $0.accept(id) } }

    /// Declines a request. The other does not see it: to them the request stays sent.
    ///
    /// - Throws: ``KithError`` with `noRequest` or `alreadyConnected`.
    public func decline(_ id: AccountID) async throws { try await edit { try $0.decline(id) } }

    /// Takes a request of mine back.
    ///
    /// - Throws: ``KithError`` with `noRequest` or `alreadyConnected`.
    public func cancel(_ id: AccountID) async throws { try await edit { try $0.cancel(id) } }

    /// Sends a request of mine once more, ``Limits/resend`` after the other was last told of it at the earliest.
    ///
    /// - Throws: ``KithError`` with `noRequest`, `alreadyConnected`, or `tooSoon` with the time that is left.
    public func resend(_ id: AccountID) async throws { try await edit { try $0.resend(id) } }

    /// Ends a connection, for both.
    ///
    /// - Throws: ``KithError`` with `notFound` if we are not connected.
    public func remove(_ id: AccountID) async throws { try await edit { try $0.removeContact(id) } }

    // MARK: Blocking and muting

    /// Blocks anyone, also a stranger. They cannot tell.
    ///
    /// - Throws: ``KithError`` with `yourself` or `full`.
    public func block(_ id: AccountID) async throws { try await edit { try $0.block(id) } }

    /// Unblocks someone: they are to me what they were before.
    ///
    /// - Throws: ``KithError`` with `notFound` if I never had to do with them.
    public func unblock(_ id: AccountID) async throws { try await edit { try $0.unblock(id) } }

    /// Mutes someone from now on, until a time or until I unmute them.
    ///
    /// - Throws: ``KithError`` with `yourself` or `full`, or `invalid` if the time is over.
    public func mute(_ id: AccountID, until end: Date? = nil) async throws {
        try await edit { try $0.mute(id, until: end) }
    }

    /// Unmutes someone.
    ///
    /// - Throws: ``KithError`` with `notFound` if I never had to do with them.
    public func unmute(_ id: AccountID) async throws { try await edit { try $0.unmute(id) } }
}
