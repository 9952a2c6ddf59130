import Foundation
import Kith
import KithModel

/// A user's name for a store of this device: `userless`, or an account by its name, its number in `kith accounts`, or
/// the start or the end of its id.
struct StoreReference: Hashable, Sendable {
    /// The name of the store without an account.
    static let userless = "userless"

    let text: String

    /// The scope of the one store that fits.
    ///
    /// - Throws: ``Failure`` `notFound` or `ambiguous`, as a ``Reference`` does.
    func resolve(among stores: [StoredAccount]) throws -> AccountScope {
        if text == Self.userless { return .userless }
        if let number = Int(text), !text.hasPrefix("0"), stores.indices.contains(number - 1) {
            return stores[number - 1].scope
        }
        let names = stores.compactMap { store in store.account.map { Nameable(id: $0, name: store.name) } }
        return .account(try Reference(text).resolve(among: names, kind: "account", listedBy: "kith accounts").id)
    }
}

extension AccountScope {
    /// The store as it is typed: `userless`, or the end of the account's id.
    var typed: String {
        switch self {
        case .userless: StoreReference.userless
        case .account(let id): id.short
        }
    }

    /// The command that moves the lists of the store to the current account.
    var movingCommand: String { "kith move-lists --from \(typed)" }
}

extension StoredAccount {
    /// The store's name in sentences: “Ada” (account deadbeef).
    var called: String {
        guard let account else { return "the store without an account" }
        return name.map { "“\($0)” (\(account.called))" } ?? account.called
    }

    /// Whether its edits can still be sent.
    var canSend: Bool { hasToken && isSignedIn }

    /// Whether its session is open, but this device does not have the token. The server was not asked.
    var lacksToken: Bool { !hasToken && isSignedIn }

    /// Whether it can be used again after the user signs in to it.
    var needsSignIn: Bool { isIdentified && !canSend && state != .inactive }

    /// Whether a list that moves away is removed from the store's server too, so that others lose it. If the account was
    /// deleted or its token refused, the list is deleted only from this device.
    var removesMovedLists: Bool { ![.inactive, .invalidToken].contains(state) }

    private var isSignedIn: Bool { [.anonymous, .identified, .serverError].contains(state) }

    /// How its unsent edits reach a server; nil if it has none.
    var sendingAdvice: String? {
        guard waiting > 0 else { return nil }
        let edits = "\(waiting.things("edit")) \(waiting == 1 ? "waits" : "wait") in \(called)"
        let them = waiting == 1 ? "it" : "them"
        if canSend { return "\(edits). To send \(them): kith --account \(scope.typed) sync" }
        if needsSignIn {
            let reason = lacksToken ? ", and this device does not have its token" : ""
            return "\(edits)\(reason). To send \(them), \(SignInCommands.again)"
        }
        if lists == 0 {
            let reason = lacksToken ? "this device does not have its token" : "its session is over"
            let cause = records.isEmpty ? ", for lists that were moved," : ""
            return "\(edits)\(cause) and cannot be sent: \(reason). To forget \(them): kith drop-data \(scope.typed)"
        }
        return "\(edits). To send \(them), move the lists: \(scope.movingCommand)"
    }

    /// How to see the edits that a server refused; nil if there are none.
    var rejectionsAdvice: String? {
        guard rejections > 0 else { return nil }
        return "\(rejections.things("rejection")) in \(called). To see \(rejections == 1 ? "it" : "them"): "
            + "kith --account \(scope.typed) rejections"
    }

    var shape: Shape {
        [
            "account": account, "name": name, "server": server, "address": address?.absoluteString, "lists": lists,
            "people": people, "records": Dictionary(uniqueKeysWithValues: records.map { ($0.key.rawValue, $0.value) }),
            "waiting": waiting, "oldestWaiting": oldestWaiting, "rejections": rejections,
            "lastRemoval": lastRemoval, "state": state.rawValue, "current": isCurrent, "token": hasToken,
            "undecided": isUndecided,
        ]
    }

    /// The state in a word or two.
    var stateWords: String {
        if lacksToken { return "no token" }
        return switch state {
        case .initial: "no session yet"
        case .anonymous: "anonymous"
        case .identified: "signed in"
        case .loggedOut: account == nil ? "no session" : "logged out"
        case .invalidToken: "token refused"
        case .serverError: "server failing"
        case .inactive: "deleted"
        }
    }
}
