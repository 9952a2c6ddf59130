import Foundation

/// A recovery code: twenty random characters of 5 bits, so 100 bits.
///
/// The alphabet is Crockford's Base32: ten digits and the letters without I, L, O and U. Reading accepts lower case,
/// spaces and dashes, O for 0, and I and L for 1.
package struct RecoveryCode: Hashable, Sendable {
    /// The number of characters.
    package static let length = 20
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// The characters without separators.
    let characters: String

    /// A new code of these random bytes. Every code has the same probability.
    ///
    /// - Parameter random: The source of random bytes.
    package init(random: RandomBytes) {
        // 32 divides 256, so the lower five bits of a byte are uniform.
        characters = String(random.bytes(Self.length).map { Self.alphabet[Int($0 & 31)] })
    }

    /// Reads a code as a user typed it; nil if it cannot be one.
    package init?(typed text: String) {
        guard text.utf8.count <= 3 * Self.length else { return nil }
        let characters = text.uppercased().filter { !$0.isWhitespace && $0 != "-" }.map { character in
            switch character {
            case "O": Character("0")
            case "I", "L": Character("1")
            default: character
            }
        }
        guard characters.count == Self.length, characters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.characters = String(characters)
    }

    /// The code in groups of five characters: `7K3QF-9ZW2M-XTC4R-HB8PN`.
    package var text: String {
        let all = Array(characters)
        return stride(from: 0, to: all.count, by: 5).map { String(all[$0..<$0 + 5]) }.joined(separator: "-")
    }
}
