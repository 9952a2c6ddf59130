extension KithError.Code {
    /// An account cannot be a contact of itself.
    public static let yourself = Self(rawValue: "yourself")
    /// The two accounts are already connected.
    public static let alreadyConnected = Self(rawValue: "alreadyConnected")
    /// There is no request to accept, decline, cancel or resend.
    public static let noRequest = Self(rawValue: "noRequest")
    /// The request was sent a short time ago; ``KithError/retryAfter`` is the time until it can be sent again.
    public static let tooSoon = Self(rawValue: "tooSoon")
    /// The account has as many records as allowed: see `Limits.ownRecords`.
    public static let full = Self(rawValue: "full")
}
