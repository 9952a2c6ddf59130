extension ShareCode {
    /// Why a text cannot be somebody's code.
    public enum Fault: Error, Hashable, Sendable {
        /// Codes have letters A to Z, digits and hyphens only.
        case illegalCharacter(Character)
        /// The number of letters and digits is outside of this range.
        case outOfRange(ClosedRange<Int>)
        /// The programme keeps this word, or words with it, for itself.
        case reserved(String)
        /// Somebody else has the code.
        case taken

        /// What is wrong, and what to do next.
        public var sentence: String {
            switch self {
            case .illegalCharacter(let character):
                "A code has letters A to Z, digits and hyphens. Remove “\(character)”."
            case .outOfRange(let range):
                "A code has \(range.lowerBound) to \(range.upperBound) letters and digits. Choose another one."
            case .reserved(let word): "The word “\(word)” is reserved. Choose another code."
            case .taken: "Somebody else has this code. Choose another one."
            }
        }
    }
}
