import Foundation
import Kith
import KithAddressBook
import KithModel

/// What a command works with: the client, the console, and the command's location.
struct CommandContext: Sendable {
    let client: KithClient
    let console: Console
    let location: CommandLocation
    let isOffline: Bool
    /// The store that `--account` names, if the client works only with that store: it is not the current one, or the command
    /// stays with it.
    let only: AccountScope?
    /// The store that `--account` names, current or not, or the current one whose server is used; nil for neither.
    private let named: AccountScope?
    let unsentEdits: UnsentEdits

    /// How long a command waits for an answer that it can do without. A wrong value of the variable ends the command before.
    static let answerTimeout =
        (try? AnswerTimeout.duration(ProcessInfo.processInfo.environment)) ?? AnswerTimeout.standard

    /// A context for these options. `server` takes precedence over the options and the environment. `staysWithNamed` says
    /// whether the client stays with the store that `--account` names, even if another one becomes the current one.
    /// `usesOwnServer` says whether a command that names no server uses that of the current account.
    init(
        _ options: GlobalOptions, server: URL? = nil, staysWithNamed: Bool = false, usesOwnServer: Bool = false,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        _ = try AnswerTimeout.duration(environment)
        var options = options
        if let server { options.server = server.absoluteString }
        var location = try CommandLocation(options, environment: environment)
        console = Console(isJSON: options.json, environment: environment)
        isOffline = options.offline
        do {
            var scope: AccountScope?
            var named: AccountScope?
            if let account = options.account {
                let stores = try await Self.stores(in: location.folder, console)
                let chosen = try StoreReference(text: account).resolve(among: stores)
                let store = stores.first { $0.scope == chosen }
                named = chosen
                // The current store needs no pinned client, which would open no session.
                scope = store?.isCurrent == true && !staysWithNamed ? nil : chosen
                location = try await Self.reachable(chosen, location, location.leading(to: store?.address), options)
            } else if usesOwnServer, location.server == nil {
                // As always, the client checks the server's id.
                let current = try await Self.stores(in: location.folder, console).first(where: \.isCurrent)
                if let address = current?.address {
                    named = current?.scope
                    location = location.leading(to: address)
                }
            }
            self.location = location
            (only, self.named) = (scope, named)
            // Offline, the client asks the server for nothing, not even for data that is fetched on demand.
            var configuration = KithConfiguration(
                server: options.offline ? nil : location.server, storage: .directory(location.folder))
            configuration.isOffline = options.offline
            configuration.account = scope
            configuration.keepsLastRemoval = true
            client = try KithClient(configuration)
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw Failure(
                .diskFull, "diskFull", "The disk is full, so no folder was made. Free some space and try again.")
        } catch is CocoaError {
            throw Failure(
                .failed, "folder",
                "The folder \(location.folder.path(percentEncoded: false)) cannot be made. Is it yours?")
        }
        unsentEdits = UnsentEdits(
            client: client, console: console, advice: SessionAdvice(client: client, isPinned: only != nil),
            server: location.server, isOffline: isOffline)
        if let note = client.noteOfDamage { console.note(note) }
    }

    /// The stores of the device in `folder`. Notes if its data was damaged, because the next client finds it repaired.
    private static func stores(in folder: URL, _ console: Console) async throws -> [StoredAccount] {
        let device = try KithClient(KithConfiguration(storage: .directory(folder)))
        if let note = device.noteOfDamage { console.note(note) }
        return try await device.accounts.all()
    }

    /// The location whose server is used for an account: the address where the account was last reached, or else
    /// `location`, if that address does not answer or belongs to another server. As always, the client checks the
    /// server's id.
    private static func reachable(
        _ scope: AccountScope, _ location: CommandLocation, _ known: CommandLocation, _ options: GlobalOptions
    ) async throws -> CommandLocation {
        guard location.server != nil, location.server != known.server, !options.offline else { return known }
        let client = try known.client(of: scope, at: known.server)
        do {
            _ = try await within(answerTimeout) { try await client.session.verify() }
        } catch let error as KithError where [.offline, .otherServer].contains(error.code) {
            return location
        } catch is TookTooLong {
            return location
        } catch is KithError {
            // The server answers, or there is no session to verify. The command itself reports the error.
        }
        return known
    }

    var lists: Lists { client.lists }
    var addressBook: AddressBook { client.addressBook }
    var sharing: Sharing { client.sharing }

    /// Whether the command may ask a server.
    var asksServer: Bool { location.server != nil && !isOffline }

    /// The server's name in sentences.
    var serverName: String { location.server?.absoluteString ?? "the server" }

    var sessionAdvice: SessionAdvice { SessionAdvice(client: client, isPinned: only != nil) }
    var settlement: StoreSettlement { StoreSettlement(context: self) }

    // MARK: What a command requires

    /// Stops a command that needs the server if none is set. The error names the server of the account.
    func requireServer() async throws {
        if location.server == nil {
            let own = try? await client.accounts.store(client.shownScope())?.address
            let advice = own.map { " This account's is \($0.absoluteString)." } ?? ""
            throw Failure(.offline, "noServer", "This needs a server. Name it with --server or KITH_SERVER.\(advice)")
        }
        if isOffline {
            throw Failure(.offline, "offline", "This needs the server. Repeat the command without --offline.")
        }
    }

    /// Stops a command if `--account` names the current store, and another program has shown another one since.
    func requireNamed() async throws {
        if let named, try await client.shownScope() != named { throw KithError.otherAccount }
    }

    /// Stops a command that changes the current account if `--account` names one.
    func requireShown(
        _ command: String,
        _ advice: (AccountScope) -> String = { "To show that account first: kith session use \($0.typed)" }
    ) throws {
        guard let only else { return }
        throw Failure.usage(
            """
            “kith \(command)” changes which account this device shows, so it cannot be used with --account. \
            \(advice(only))
            """)
    }

    // MARK: Talking with the server

    /// Makes edits with `body`, then tries briefly to send them: see ``UnsentEdits/send(after:)``.
    func sending<Value>(_ body: () async throws -> Value) async throws -> Value {
        let before = try await unsentEdits.before()
        let value = try await body()
        try await unsentEdits.send(after: before)
        return value
    }

    /// Tries briefly to sync. If that fails, the command continues with what earlier rounds have received.
    func syncBriefly() async {
        try? await within(Self.answerTimeout) { try await client.syncNow() }
    }

    /// A client that stays with an account, even if another program makes another account the current one meanwhile. It
    /// never opens a session.
    func client(of account: AccountID) throws -> KithClient {
        let scope = AccountScope.account(account)
        return only == scope ? client : try location.client(of: scope, at: isOffline ? nil : location.server)
    }

    /// A client that stays with the current account. Opens a first session if there is none.
    func clientOfCurrentAccount() async throws -> KithClient {
        if try await client.session.state() == .initial { try await client.session.verify() }
        guard let account = try await client.session.account() else {
            throw KithError(.unauthorized, "There is no session. Sign in, or open a new one.")
        }
        return try client(of: account)
    }

    /// A client that may change every store of this device. A pinned client cannot drop its store.
    func wholeDevice() throws -> KithClient {
        only == nil ? client : try KithClient(KithConfiguration(storage: .directory(location.folder)))
    }
}

extension Int {
    /// “1 change”, “2 changes”.
    package func things(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
