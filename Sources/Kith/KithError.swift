public import Foundation
import KithModel

/// An error of the SDK. It has a code for programs, a sentence for people and the underlying error.
///
/// ```swift
/// do { try await client.lists.add("Tea", to: list.id) }
/// catch KithError.Code.forbidden { showReadOnlyBanner() }
/// ```
public struct KithError: Error, Sendable {
    /// The kind of error. The set is open: later versions may add codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let rawValue: String

        /// The code with this name, whether this version knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        /// The server cannot be reached, or something else than a Kith server answers at its address.
        public static let offline = Code(rawValue: "offline")
        /// The client was created without a server.
        public static let noServer = Code(rawValue: "noServer")
        /// The server is busy or failing. The client tries again.
        public static let busy = Code(rawValue: "busy")
        /// The session ended while a command waited for it. Nothing was sent. See ``Sessions/ready()``.
        public static let reset = Code(rawValue: "reset")
        /// The server does not accept the session's token, or this device does not have it.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// The account or the link belongs to a different server from the client's. No data was sent, and nothing has
        /// changed.
        public static let otherServer = Code(rawValue: "otherServer")
        /// The account was deleted. Its data on this device can be read, but nothing is sent any more.
        public static let accountClosed = Code(rawValue: "accountClosed")
        /// The account does not have the required permission.
        public static let forbidden = Code(rawValue: "forbidden")
        /// There is no such list, item, link, account, contact or source.
        public static let notFound = Code(rawValue: "notFound")
        /// The list or item with this identity was removed. It cannot return under the same identity.
        public static let removed = Code(rawValue: "removed")
        /// Another program has changed the same data meanwhile. Nothing was written; the message shows both versions.
        public static let conflict = Code(rawValue: "conflict")
        /// A field's value breaks its rules.
        public static let invalid = Code(rawValue: "invalid")
        /// The removal cannot be undone any more: it is too old, or the items' list is gone.
        public static let tooLate = Code(rawValue: "tooLate")
        /// A limit is exceeded: see `Limits`.
        public static let tooMany = Code(rawValue: "tooMany")
        /// Today's quota is used up. The message says when the next day begins.
        public static let quotaExceeded = Code(rawValue: "quotaExceeded")
        /// The code that proves a number or an email is wrong. The message says how many tries are left.
        public static let codeWrong = Code(rawValue: "codeWrong")
        /// The code that proves a number or an email has expired, or was tried too often: request a new one. Or the QR code
        /// of another device has expired, or was used or ended: show a new one.
        public static let codeExpired = Code(rawValue: "codeExpired")
        /// The number, email, issuer or passkey is the last way to sign in to the account.
        public static let lastWayIn = Code(rawValue: "lastWayIn")
        /// Other people are in lists of the account that is to be deleted, and these lists have no decision.
        public static let listsUndecided = Code(rawValue: "listsUndecided")
        /// The server has refused the passkey or its signature. The message says why.
        public static let passkeyRefused = Code(rawValue: "passkeyRefused")
        /// The call needs a part that the app has to pass in: see ``KithConfiguration``.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The server refused the request; the message gives the reason.
        public static let refused = Code(rawValue: "refused")
        /// The server's answer cannot be read.
        public static let malformed = Code(rawValue: "malformed")
        /// The disk is full. The write had no effect. Reading still works.
        public static let diskFull = Code(rawValue: "diskFull")
        /// A newer version of the app has written the data on this device, and this one does not know its form. Nothing was
        /// changed: update the app.
        public static let newerVersion = Code(rawValue: "newerVersion")
        /// The replica's file is damaged. It is moved aside at the next start.
        public static let replicaBroken = Code(rawValue: "replicaBroken")
        /// The database failed for another reason.
        public static let database = Code(rawValue: "database")
        /// A token or password could not be stored or read.
        public static let credentials = Code(rawValue: "credentials")
        /// The user or the system denies the app access to the contacts.
        public static let denied = Code(rawValue: "denied")
        /// The file or folder exists but cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
    }

    /// The kind of error, for programs.
    public let code: Code
    /// What happened and what to do next, for people, in English.
    public let sentence: String
    /// The invalid field, if there is one.
    public let field: String?
    /// How long to wait before the next attempt, if the server gave a time. At most a day.
    public let retryAfter: Duration?
    /// The underlying error, if there is one.
    public let cause: (any Error)?
    /// Whether no complete answer has arrived, for no reason that the sentence names.
    package internal(set) var isUnreachable = false

    /// An error with this code and message.
    public init(
        _ code: Code, _ sentence: String, field: String? = nil, retryAfter: Duration? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.sentence = sentence
        self.field = field
        self.retryAfter = retryAfter
        self.cause = cause
    }
}

extension KithError.Code {
    /// Lets a `catch` clause match one code.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? KithError)?.code == code }
}

extension KithError: CustomStringConvertible {
    /// The code and the sentence.
    public var description: String { "\(code): \(sentence)" }
}

extension KithError: LocalizedError {
    /// The sentence, which `localizedDescription` and alerts of SwiftUI show.
    public var errorDescription: String? { sentence }
}

extension KithError {
    /// The error for a file with a migration, a field or a collection that this version does not know.
    package static let newerVersion = KithError(
        .newerVersion,
        "A newer version of this app has written the data on this device. Update the app. Nothing was changed.")

    /// The error for a refusal that the server would give at `now`. Nothing has been written.
    init(_ fault: BrokenRule, at now: Timestamp) {
        // The codes of the server and of the SDK have the same names, except this one.
        let code = fault.code == .ownerStays ? Code.forbidden : Code(rawValue: fault.code.rawValue)
        self.init(code, fault.sentence, field: fault.field, retryAfter: fault.notBefore.map { $0 - now })
    }
}
