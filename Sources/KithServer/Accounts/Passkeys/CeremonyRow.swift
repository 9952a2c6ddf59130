import Foundation
import KithModel

/// A row of the table `ceremony`: the addition of a passkey or a sign-in with one, from its challenge to its end.
///
/// The row has only hashes of the ticket of the web page, and of the claim of the device that has begun the ceremony.
/// Each challenge is verified once: it is deleted before the verification.
struct CeremonyRow {
    /// The purpose of a ceremony.
    enum Kind: String {
        case adding, signingIn
    }

    /// The secrets and ids by which a ceremony is found.
    enum Key {
        /// An addition, by the session that began it.
        case adding(CeremonyID, session: Data)
        /// A sign-in.
        case signingIn(CeremonyID)
        /// A ceremony in a web page.
        case ticket(Data)
    }

    let id: CeremonyID
    let kind: Kind
    /// The account that gets the passkey, or to which the user has signed in.
    var account: AccountID?
    /// The hash of the token of the session that has begun the ceremony; nil for a sign-in.
    let session: Data?
    /// The network of the client that has begun the ceremony.
    let network: ClientNetwork
    /// The address of that client, as text (the column `place`).
    let address: String
    /// The name of the new passkey, or of the device that signs in.
    let name: String?
    /// The challenge; nil if it was used.
    var challenge: Data?
    let claim: Data?
    let created: Timestamp
    var isDone: Bool
    /// The added passkey.
    var passkey: PasskeyID?
    /// The hash of the token of the session that was opened.
    var opened: Data?

    private static let columns =
        "id, kind, account, session, network, place, name, challenge, claim, created, is_done, passkey, opened"

    private init(_ row: SQLRow) throws {
        guard let kind = Kind(rawValue: try row.text(1)) else {
            throw ServerError(.internalError, "The database has a ceremony of an unknown kind.")
        }
        (id, self.kind) = (try row.id(0), kind)
        account = try row.optionalID(2)
        session = try row.optionalBytes(3)
        (network, address, name) = (ClientNetwork(try row.text(4)), try row.text(5), try row.optionalText(6))
        challenge = try row.optionalBytes(7)
        claim = try row.optionalBytes(8)
        (created, isDone) = (try row.time(9), try row.flag(10))
        passkey = try row.optionalID(11)
        opened = try row.optionalBytes(12)
    }

    /// A new ceremony.
    init(
        id: CeremonyID, kind: Kind, account: AccountID? = nil, session: Data? = nil, from client: IPAddress,
        name: String?, challenge: Data, claim: Data? = nil, at now: Timestamp
    ) {
        (self.id, self.kind, self.account, self.session) = (id, kind, account, session)
        (self.network, self.address, self.name) = (client.network, client.description, name)
        (self.challenge, self.claim, self.created, self.isDone) = (challenge, claim, now, false)
    }

    /// The ceremony of this key that has begun less than `lifetime` ago, locked if it is to be changed; nil if there is none.
    ///
    /// One that has begun so much later than now, while the clock was ahead, has expired, too.
    static func find(
        _ key: Key, at now: Timestamp, lifetime: Duration, isLocking: Bool = true, in transaction: any Transaction
    ) throws -> CeremonyRow? {
        let (condition, values): (String, [SQLValue]) =
            switch key {
            case .adding(let id, let session):
                ("id = ? AND session = ? AND kind = 'adding'", [.id(id), .bytes(session)])
            case .signingIn(let id): ("id = ? AND kind = 'signingIn'", [.id(id)])
            case .ticket(let ticket): ("ticket = ?", [.bytes(ticket)])
            }
        let lock = isLocking ? transaction.dialect.locking("ceremony") : ""
        return try transaction.query(
            "SELECT \(columns) FROM ceremony WHERE \(condition) AND created > ? AND created < ?\(lock)",
            values + [.time(now - lifetime), .time(now + lifetime)]
        ).first.map(CeremonyRow.init)
    }

    /// Stores a new ceremony with the hash of its ticket.
    func insert(ticket: Data, in transaction: any Transaction) throws {
        try transaction.insert(
            into: "ceremony",
            [
                "id", "kind", "account", "session", "network", "place", "name", "challenge", "ticket", "claim",
                "created", "is_done",
            ],
            [
                [
                    .id(id), .text(kind.rawValue), .id(account), .bytes(session),
                    .text(network.text), .text(address), .text(name), .bytes(challenge), .bytes(ticket),
                    .bytes(claim), .time(created), .flag(false),
                ]
            ])
    }

    /// Stores what has changed.
    func update(in transaction: any Transaction) throws {
        try transaction.execute(
            "UPDATE ceremony SET account = ?, challenge = ?, is_done = ?, passkey = ?, opened = ? WHERE id = ?",
            [
                .id(account), .bytes(challenge), .flag(isDone),
                .id(passkey), .bytes(opened), .id(id),
            ])
    }
}
