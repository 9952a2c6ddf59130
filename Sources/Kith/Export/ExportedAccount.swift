import KithModel

/// The file `account.json` of an archive. Later versions may add members; they never change or remove one.
struct ExportedAccount: Encodable {
    /// The version of this format.
    let format = 1
    let exported: Timestamp
    /// nil for the userless store.
    let account: AccountID?
    let server: ServerID?
    let address: String?
    let state: String
    let sessions: [SessionEntry]?
    let identities: [OwnIdentity]?
    /// The identities at issuers.
    let issuerIdentities: [OwnIssuerIdentity]?
    /// The passkeys: their names and dates. Only authenticators have the keys.
    let passkeys: [Passkey]?
    /// How many recovery codes are left, without the codes.
    let recoveryCodes: RecoveryStatus?
    /// The links of the account's lists, without their secrets.
    let links: [ListLink]?

    private enum Key: String, CodingKey {
        case format, exported, account, server, address, state, sessions, identities, issuerIdentities, passkeys,
            recoveryCodes, links
    }

    /// Encodes nil as null, so that a reader sees which values could not be exported.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(format, forKey: .format)
        try container.encode(exported, forKey: .exported)
        try container.encode(account, forKey: .account)
        try container.encode(server, forKey: .server)
        try container.encode(address, forKey: .address)
        try container.encode(state, forKey: .state)
        try container.encode(sessions, forKey: .sessions)
        try container.encode(identities, forKey: .identities)
        try container.encode(issuerIdentities, forKey: .issuerIdentities)
        try container.encode(passkeys, forKey: .passkeys)
        try container.encode(recoveryCodes, forKey: .recoveryCodes)
        try container.encode(links, forKey: .links)
    }
}
