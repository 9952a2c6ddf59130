/// What a programme demands of the codes that people choose themselves.
public struct ShareCodeRules: Hashable, Sendable, Codable {
    /// How many letters and digits a code has, at least and at most.
    public var lengths: ClosedRange<Int>
    /// Words that no code may contain, in any spelling: the operator's own, and those that would offend.
    public var reserved: [String]

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - lengths: The numbers of letters and digits; those outside of ``ShareCode/lengths`` are left out.
    ///   - reserved: Words that no code may contain.
    public init(lengths: ClosedRange<Int> = 4...20, reserved: [String] = []) {
        self.lengths = lengths.clamped(to: ShareCode.lengths)
        self.reserved = reserved
    }

    /// Reads a code that somebody has chosen.
    ///
    /// - Throws: ``ShareCode/Fault``, each but `taken`, which only the server can know.
    public func code(_ typed: String) throws(ShareCode.Fault) -> ShareCode {
        let code: ShareCode
        do throws(ShareCode.Fault) {
            code = try ShareCode(typed)
        } catch .outOfRange {
            throw .outOfRange(lengths)
        }
        guard lengths.contains(code.key.count) else { throw .outOfRange(lengths) }
        // Words of one or two characters are too short to be codes, and would forbid nearly all of them.
        for word in reserved {
            if let key = try? ShareCode(word).key, code.key.contains(key) { throw .reserved(word) }
        }
        return code
    }
}
