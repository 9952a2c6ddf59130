import Foundation
import KithModel
import KithServer
import Testing

@Suite("The last way in is the last one that the operator has not switched off") struct WaysInTests {
    /// A kind of way in that an account has besides an identity at an issuer.
    enum Kind: CaseIterable { case email, phone, recoveryCodes, passkey, issuer }

    private static let issuer = "https://issuer.example"
    private let world: SignInWorld
    private let first = IssuerIdentityID(UUID())

    init() throws { world = try SignInWorld() }

    /// An account that has an identity at an issuer, and another way in.
    private func account(with kind: Kind) async throws -> AccountID {
        let session = try await world.open()
        let account = session.account
        try await insert(first, at: Self.issuer, of: account)
        switch kind {
        case .email: _ = try await world.signIn("ada@example.com", by: session)
        case .phone:
            try await execute(
                "INSERT INTO identity (value, account, created) VALUES ('tel:+436641234567', ?, 0)", [.id(account)])
        case .recoveryCodes:
            _ = try await world.recovery.create(for: account, languages: [], address: "here", at: world.now)
        case .passkey:
            try await execute(
                """
                INSERT INTO passkey
                    (id, account, credential, algorithm, public_key, sign_count, is_eligible, is_synced, created)
                VALUES (?, ?, ?, -7, ?, 0, 0, 0, 0)
                """, [.id(PasskeyID(UUID())), .id(account), .bytes(Data([1])), .bytes(Data([2]))])
        case .issuer: try await insert(IssuerIdentityID(UUID()), at: "https://other.example", of: account)
        }
        return account
    }

    private func insert(_ id: IssuerIdentityID, at issuer: String, of account: AccountID) async throws {
        try await execute(
            "INSERT INTO issuer_identity (issuer, subject, id, account, created) VALUES (?, 'ada', ?, ?, 0)",
            [.text(issuer), .id(id), .id(account)])
    }

    private func execute(_ sql: String, _ values: [SQLValue]) async throws {
        try await world.database.write { try $0.execute(sql, values) }
    }

    /// The ways of a server where one kind is switched off.
    private func ways(without kind: Kind) -> WaysIn {
        var settings = SignInSettings()
        switch kind {
        case .email: settings.sendsEmail = false
        case .recoveryCodes: settings.hasRecoveryCodes = false
        case .phone: return WaysIn(sendsSMS: { _ in false })
        case .passkey: return WaysIn(hasPasskeys: false)
        case .issuer: return WaysIn(issuers: [Self.issuer])
        }
        return WaysIn(settings)
    }

    private struct Undo: Error {}

    /// Whether the row of this table is the last way in. It is removed only within the transaction.
    private func isLast(_ table: String, _ column: String, _ value: SQLValue, _ account: AccountID, _ ways: WaysIn)
        async throws -> Bool
    {
        do {
            try await world.database.write { transaction in
                try transaction.execute("DELETE FROM \(table) WHERE \(column) = ?", [value])
                try ways.checkOneIsLeft(without: "It", of: account, in: transaction)
                throw Undo()
            }
            return false
        } catch is Undo {
            return false
        } catch let error as ServerError where error.code == .lastWayIn {
            return true
        }
    }

    private func isFirstLast(_ account: AccountID, _ ways: WaysIn) async throws -> Bool {
        try await isLast("issuer_identity", "id", .id(first), account, ways)
    }

    @Test("A kind of way in that is switched off is no other way", arguments: Kind.allCases)
    func switchedOff(kind: Kind) async throws {
        let account = try await account(with: kind)
        #expect(try await !isFirstLast(account, WaysIn()))
        #expect(try await isFirstLast(account, ways(without: kind)))
        for other in Kind.allCases where other != kind {
            #expect(try await !isFirstLast(account, ways(without: other)), "\(other) is not needed.")
        }
    }

    @Test("An email that is switched off can be removed as long as another way is left") func useless() async throws {
        let account = try await account(with: .email)
        let email = SQLValue.text("mailto:ada@example.com")
        #expect(try await !isLast("identity", "value", email, account, ways(without: .email)))
        #expect(try await isLast("identity", "value", email, account, WaysIn(issuers: [])))
    }

    @Test("The server counts by its settings") func settings() async throws {
        let session = try await world.open()
        _ = try await world.signIn("ada@example.com", by: session)
        _ = try await world.recovery.create(for: session.account, languages: [], address: "here", at: world.now)
        for isOn in [false, true] {
            let status = try await TestServer.run(
                { $0.signIn.hasRecoveryCodes = isOn }, database: world.database
            ) { server in
                try await server.ask("DELETE", "/v1/identities/mailto%3Aada%40example.com", token: session.token).status
            }
            #expect(status == (isOn ? 204 : 409))
        }
    }
}
