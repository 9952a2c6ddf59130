/// A statement whose parameters are numbered: `$1` instead of the first `?`.
package struct NumberedStatement: Hashable, Sendable {
    /// The text for PostgreSQL.
    package let text: String
    /// The number of parameters.
    package let parameters: Int

    /// Numbers the parameters of `sql`. A `?` in a string, in a quoted name or in a comment is none.
    package init(_ sql: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sql.utf8.count + sql.utf8.count / 4)
        var parameters = 0
        var end: End?
        var previous: UInt8 = 0
        for byte in sql.utf8 {
            if let place = end {
                if place.isReached(byte, after: previous) { end = nil }
                // So that the slash in `*/` and the star in `/*` are not read twice.
                previous = end == nil ? 0 : byte
                bytes.append(byte)
                continue
            }
            end = End(byte, after: previous)
            previous = end == nil ? byte : 0
            guard byte == UInt8(ascii: "?") else {
                bytes.append(byte)
                continue
            }
            parameters += 1
            bytes.append(UInt8(ascii: "$"))
            bytes.append(contentsOf: String(parameters).utf8)
        }
        text = String(decoding: bytes, as: UTF8.self)
        self.parameters = parameters
    }

    /// Where a part without parameters ends. A doubled quote ends one part and begins another.
    private enum End {
        case quote(UInt8)
        case line
        case comment

        /// The part that `byte` begins; nil if it begins none.
        init?(_ byte: UInt8, after previous: UInt8) {
            switch (previous, byte) {
            case (_, UInt8(ascii: "'")), (_, UInt8(ascii: "\"")): self = .quote(byte)
            case (UInt8(ascii: "-"), UInt8(ascii: "-")): self = .line
            case (UInt8(ascii: "/"), UInt8(ascii: "*")): self = .comment
            default: return nil
            }
        }

        func isReached(_ byte: UInt8, after previous: UInt8) -> Bool {
            switch self {
            case .quote(let quote): byte == quote
            case .line: byte == UInt8(ascii: "\n")
            case .comment: previous == UInt8(ascii: "*") && byte == UInt8(ascii: "/")
            }
        }
    }
}
