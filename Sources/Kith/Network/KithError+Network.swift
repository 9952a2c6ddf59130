extension KithError.Code {
    /// Nobody is in their own network.
    public static let yourself = Self(rawValue: "yourself")
    /// The two are connected already.
    public static let alreadyConnected = Self(rawValue: "alreadyConnected")
    /// There is no request to accept, to decline, to cancel or to send again.
    public static let noRequest = Self(rawValue: "noRequest")
    /// The request was sent shortly before; ``KithError/retryAfter`` says when it can be sent again.
    public static let tooSoon = Self(rawValue: "tooSoon")
    /// The account holds as much as it may: see ``Limits/ownRecords``.
    public static let full = Self(rawValue: "full")
}
