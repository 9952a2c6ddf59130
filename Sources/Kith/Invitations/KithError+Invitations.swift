extension KithError.Code {
    /// The invitation was accepted, so it cannot be sent again or revoked.
    public static let alreadyAccepted = Self(rawValue: "alreadyAccepted")
    /// There is an open invitation to this recipient for the same purpose. Send that one again instead.
    public static let alreadyInvited = Self(rawValue: "alreadyInvited")
}
