import KithModel

/// What went wrong in the SDK: a code for programs, a sentence for people, the cause inside.
///
/// ```swift
/// do { try await client.lists.add("Tea", to: list.id) }
/// catch KithError.Code.forbidden { showReadOnlyBanner() }
/// ```
public struct KithError: Error, Sendable {
    /// What went wrong. Open: later versions may know more.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let rawValue: String

        /// The code of this name, whether this version knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        /// The server cannot be reached.
        public static let offline = Code(rawValue: "offline")
        /// The client was made without a server.
        public static let noServer = Code(rawValue: "noServer")
        /// The server is busy or failing; it is tried again.
        public static let busy = Code(rawValue: "busy")
        /// The server does not accept the session's token.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// The account, or the link, belongs to another server than the one that the client speaks with. Nothing was sent
        /// and nothing has changed.
        public static let otherServer = Code(rawValue: "otherServer")
        /// The account was deleted. What it had on this device stays readable; nothing is sent any more.
        public static let accountClosed = Code(rawValue: "accountClosed")
        /// The account may not do this.
        public static let forbidden = Code(rawValue: "forbidden")
        /// There is no such list, item, link, account, contact or source.
        public static let notFound = Code(rawValue: "notFound")
        /// The list or item of this identity was removed, and does not come back under it.
        public static let removed = Code(rawValue: "removed")
        /// A field breaks its rules.
        public static let invalid = Code(rawValue: "invalid")
        /// The removal can no longer be undone: it is too old, or the items' list is gone.
        public static let tooLate = Code(rawValue: "tooLate")
        /// More than a limit allows: see ``Limits``.
        public static let tooMany = Code(rawValue: "tooMany")
        /// Today's share of something is used up; the sentence says when the next day begins.
        public static let quotaExceeded = Code(rawValue: "quotaExceeded")
        /// It needs a part that the app has to hand in: see ``KithConfiguration``.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The server refused the request for a reason that its sentence gives.
        public static let refused = Code(rawValue: "refused")
        /// The server answered something that cannot be read.
        public static let malformed = Code(rawValue: "malformed")
        /// The disk is full. The write had no effect; reading goes on.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The replica's file is damaged. It is moved aside at the next start.
        public static let replicaBroken = Code(rawValue: "replicaBroken")
        /// The database failed in another way.
        public static let database = Code(rawValue: "database")
        /// The token or password could not be kept or read.
        public static let credentials = Code(rawValue: "credentials")
        /// The user or the system does not let the app see the contacts.
        public static let denied = Code(rawValue: "denied")
        /// The file or folder is there, but cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
    }

    /// What went wrong, for programs.
    public let code: Code
    /// What happened and what to do next.
    public let sentence: String
    /// The field at fault, if one is.
    public let field: String?
    /// When to try again at the earliest, if the server said so.
    public let retryAfter: Duration?
    /// What lay beneath, if anything did.
    public let cause: (any Error)?

    /// An error of this code, told in this sentence.
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
    /// Lets a `catch` name the code that it is for.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? KithError)?.code == code }
}

extension KithError: CustomStringConvertible {
    /// The code and the sentence.
    public var description: String { "\(code): \(sentence)" }
}

extension KithError {
    /// The same refusal that the server would give, before anything is written.
    init(_ fault: Rules.Fault) {
        self.init(fault.code == .forbidden ? .forbidden : .invalid, fault.sentence, field: fault.field)
    }
}
