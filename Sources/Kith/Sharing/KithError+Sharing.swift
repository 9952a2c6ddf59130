extension KithError.Code {
    /// Somebody else has the code, or another shareable of mine.
    public static let codeTaken = Self(rawValue: "codeTaken")
    /// A code has letters A to Z, digits and hyphens only.
    public static let codeIllegal = Self(rawValue: "codeIllegal")
    /// The programme reserves a word in the code.
    public static let codeReserved = Self(rawValue: "codeReserved")
    /// The code is too short or too long.
    public static let codeLength = Self(rawValue: "codeLength")
    /// The server has no programme with this name.
    public static let noProgramme = Self(rawValue: "noProgramme")
    /// The code is my own. Nobody brings themselves.
    public static let yourOwnCode = Self(rawValue: "yourOwn")
}
