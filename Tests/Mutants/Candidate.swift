/// A place in the sources, and what a mutant does there.
struct Candidate: Codable, Hashable {
    /// How the mutant differs from what was written.
    enum Kind: String, Codable, CaseIterable {
        /// A condition, or a part of one, means its opposite.
        case negated
        /// A call, an assignment or a jump does not happen.
        case removed
        /// Two arguments of a call have changed places.
        case swapped
        /// A number or a comparison is off by one.
        case shifted
        /// A truth value is the other one.
        case flipped
    }

    /// Turns the mutant on, as `KITH_MUTANT`.
    let number: Int
    /// The file, as seen from the root of the repository.
    let file: String
    /// The line where it begins, counted from 1.
    let line: Int
    /// The text of that line.
    let text: String
    /// How it differs.
    let kind: Kind
    /// What becomes of what, such as `0 → 1`. A second one like it on a line like it ends in `(2)`.
    let change: String

    /// What the mutant is called from build to build: numbers and lines move when the sources do.
    var key: String { "\(file)\t\(text)\t\(change)" }

    /// The folder that is reported together.
    var folder: String { String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]) }
}
