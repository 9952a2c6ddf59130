import Foundation
public import KithModel

/// Adding devices by a QR code: `client.pairings`.
///
/// ```swift
/// // On the device that is signed in:
/// let pairing = try await client.pairings.make()
/// show(qrCode: pairing.link)
/// let status = try await client.pairings.result(of: pairing)
///
/// // On the new device, which has read the code:
/// let result = try await client.pairings.use(link: link, device: "Ada’s tablet")
/// for store in result.hidden.stores { … }  // Ask the user, then call client.accounts.decide(…).
/// ```
public struct Pairings: Sendable {
    let client: KithClient

    /// The pause between two requests of ``result(of:)``, unless the server asks for a longer one.
    package static let interval = Duration.seconds(2)

    /// Makes a pairing for another device. Show its link as a QR code. An earlier pairing of this session ends.
    ///
    /// Whoever reads the code first gets a session of the account, so show it only to the user.
    ///
    /// - Throws: ``KithError``: `quotaExceeded` with the time to wait; `offline`. After `offline`, call this
    ///   function again: if only the answer was lost, it returns the pairing that was made.
    public func make() async throws -> Pairing {
        let session = try await client.requests.session()
        let pairing = try await client.requests.send(in: session) { try await $0.makePairing() }
        made.note(pairing.id, in: session)
        return pairing
    }

    private var made: SessionMemory<PairingID> { client.parts.part { SessionMemory() } }

    /// Sends a request about a pairing, for the account that has made it.
    private func send<T: Sendable>(
        about pairing: PairingID, _ body: (SessionConnection) async throws -> T
    ) async throws -> T {
        try await client.requests.send(in: made.session(of: pairing, client.requests), body)
    }

    /// The state of a pairing that this account has made within the last day. For a pairing that this client has made, the
    /// account is the one that was current then.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is none.
    public func status(of pairing: PairingID) async throws -> PairingStatus {
        try await send(about: pairing) { try await $0.status(of: pairing) }
    }

    /// Waits until a device has used the pairing, or it has expired. It asks the server every two seconds, or when the
    /// server wants to be asked again, and goes on waiting while the server cannot be reached, or something else answers.
    ///
    /// - Throws: ``KithError`` with `notFound` if the pairing was ended; `CancellationError` if the task is cancelled.
    public func result(of pairing: Pairing) async throws -> PairingStatus {
        while true {
            var pause = Self.interval
            do {
                let status = try await status(of: pairing.id)
                if status.state != .open { return status }
            } catch let error as KithError where error.isTemporary {
                let left = pairing.expires - client.replica.dependencies.now()
                if left < .zero { return PairingStatus(state: .expired, expires: pairing.expires) }
                pause = max(pause, min(error.retryAfter ?? .zero, left))
            }
            try await client.replica.dependencies.pause(pause)
        }
    }

    /// Ends an unused pairing, for example because the user closes the QR code. Another account may be the current one by
    /// then.
    public func end(_ pairing: PairingID) async throws {
        try await send(about: pairing) { try await $0.endPairing(pairing) }
    }

    /// The result of using a pairing.
    public struct Result: Sendable {
        /// The account of the device that has shown the code. It is the current account now.
        public let account: AccountID
        /// The stores that are hidden now: see ``SignIn/Result/hidden``.
        public let hidden: HiddenStores
    }

    /// Signs in to the account of the device that has shown the QR code. The data in this device's stores does not change.
    ///
    /// - Parameters:
    ///   - link: The content of the QR code.
    ///   - device: The name of this device, for the list of sessions and for the message to the account's email.
    /// - Returns: The account, and the stores that are hidden now.
    /// - Throws: ``KithError``: `invalid` if the text is not the link of a pairing; `otherServer` if the link belongs to a
    ///   different server; `codeExpired` if the pairing has expired, or was used or ended; `refused` if this device is
    ///   signed in to that account already; `offline`. After `offline`, use the same link again.
    public func use(link: String, device: String? = nil) async throws -> Result {
        try client.refusePinned()
        guard let parts = PairingLink(link) else {
            throw KithError(
                .invalid, "This is not the QR code of another device. Show a new one there, and read it here.")
        }
        try await client.links.check(LinkAddress(base: parts.base, secret: parts.token))
        let use = PairingUse(token: parts.token, device: SignIn.name(device))
        let result = try await SignInSession(client: client).signIn {
            let paired = try await $0.use(use)
            return SignedInAccount(
                signedIn: SignedIn(account: paired.account, token: paired.token, server: paired.server),
                isIdentified: paired.kind == SessionMachine.identified)
        }
        return Result(account: result.account, hidden: result.hidden)
    }
}

extension KithClient {
    /// Adding devices by a QR code.
    public var pairings: Pairings { Pairings(client: self) }
}
