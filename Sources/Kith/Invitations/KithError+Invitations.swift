extension KithError.Code {
    /// The invitation was accepted, so it cannot be sent again or revoked.
    public static let alreadyAccepted = Self(rawValue: "alreadyAccepted")
    /// There is an open invitation of the same kind to this recipient. It can be sent again instead.
    public static let alreadyInvited = Self(rawValue: "alreadyInvited")
}
