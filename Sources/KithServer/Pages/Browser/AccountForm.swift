package import KithModel

/// A form that somebody has sent from the page of their account.
package enum AccountForm: Hashable, Sendable {
    /// What forms do. The raw value is in the form, and the purpose of its proof.
    package enum Action: String, CaseIterable, Sendable {
        case signOut, closeSession, closeOthers, removeWay, useCode, export, delete
    }

    /// A way to sign in to the account.
    package enum Way: Hashable, Sendable {
        case identity(Identity)
        case issuer(IssuerIdentityID)
        case passkey(PasskeyID)

        /// Reads a way; nil if the text is none.
        package init?(_ text: String) {
            if let identity = Identity(text) {
                self = .identity(identity)
                return
            }
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { return nil }
            switch parts[0] {
            case "issuer":
                guard let id = IssuerIdentityID(parts[1]) else { return nil }
                self = .issuer(id)
            case "passkey":
                guard let id = PasskeyID(parts[1]) else { return nil }
                self = .passkey(id)
            default: return nil
            }
        }

        /// The way as forms name it.
        package var text: String {
            switch self {
            case .identity(let identity): identity.text
            case .issuer(let id): "issuer:\(id)"
            case .passkey(let id): "passkey:\(id)"
            }
        }

        /// The name of its kind in the texts of the page.
        var kind: String {
            switch self {
            case .identity(.email): "email"
            case .identity(.phone): "number"
            case .issuer: "issuer"
            case .passkey: "passkey"
            }
        }

        /// What the page says after the way was removed.
        var notice: AccountPage.Notice {
            switch self {
            case .identity(.email): .removedEmail
            case .identity(.phone): .removedNumber
            case .issuer: .removedIssuer
            case .passkey: .removedPasskey
            }
        }
    }

    /// Closes the session of this browser.
    case signOut
    /// Closes another session.
    case closeSession(SessionID)
    /// Closes all sessions but that of this browser, or asks about it.
    case closeOthers(isSure: Bool)
    /// Removes a way to sign in, or asks about it.
    case removeWay(Way, isSure: Bool)
    /// Uses the code of somebody who has shared.
    case useCode(ShareLink)

    /// Reads a form; nil if a field is missing or cannot be read.
    package init?(_ fields: FormFields) {
        let isSure = fields["sure"] == "yes"
        switch fields["do"].flatMap({ Action(rawValue: $0) }) {
        case .signOut: self = .signOut
        case .closeSession:
            guard let session = fields["session"].flatMap({ SessionID($0) }) else { return nil }
            self = .closeSession(session)
        case .closeOthers: self = .closeOthers(isSure: isSure)
        case .removeWay:
            guard let way = fields["way"].flatMap({ Way($0) }) else { return nil }
            self = .removeWay(way, isSure: isSure)
        case .useCode:
            guard let link = ShareLink(fields) else { return nil }
            self = .useCode(link)
        case .export, .delete, nil: return nil
        }
    }

    /// What the form does.
    package var action: Action {
        switch self {
        case .signOut: .signOut
        case .closeSession: .closeSession
        case .closeOthers: .closeOthers
        case .removeWay: .removeWay
        case .useCode: .useCode
        }
    }
}
