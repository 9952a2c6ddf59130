/// The limits of the numbers that have a prefix: see `NumberPrefix`.
public struct PrefixLimits: Sendable {
    /// SMS to the numbers of one prefix in an hour.
    public var messagesAnHour = 20
    /// SMS that nobody has asked for, such as invitations, go to the numbers of one prefix only while fewer than this went to
    /// them within an hour: half. The rest is for codes.
    public var unaskedAnHour = 10
    /// The number of codes by which a prefix is judged: the newest ones that were entered or have expired.
    public var judgedCodes = 50
    /// A prefix is paused if fewer of ``judgedCodes`` were entered: a fifth.
    public var enteredCodes = 10

    /// The defaults.
    public init() {}
}
