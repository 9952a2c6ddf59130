import Testing

/// A type that has grown too long is several types.
@Suite("The length of types") struct TypeLengthTests {
    /// The lines of each type with its extensions, without those of the types that it contains.
    private static let lengths: [String: Int] = MannersTests.sources.reduce(into: [:]) { lengths, file in
        let module = file.path.split(separator: "/")[1]
        for (type, count) in Self.lengths(of: file.lines) { lengths["\(module).\(type)", default: 0] += count }
    }

    @Test("No type has more than 1,000 lines, its extensions included") func length() {
        #expect(Self.lengths.count > 300)
        for (type, count) in Self.lengths where count > 1_000 {
            Issue.record("\(type) has \(count) lines: find the second type in it and move it out.")
        }
    }

    @Test("A type's lines are those of its declaration and its extensions, without the types in it") func counting() {
        let lines: [Substring] = [
            "struct One {", "    struct Two {", "        let a = 1", "    }", "    let b = 2", "}", "extension One {",
            "    func c() {", "    }", "}", "enum Three {}", "extension One.Two {", "}",
        ]
        #expect(Self.lengths(of: lines) == ["One": 7, "One.Two": 5, "Three": 1])
    }

    private static func lengths(of lines: [Substring]) -> [String: Int] {
        var lengths: [String: Int] = [:]
        var (outer, inner): (String?, String?)
        for line in lines {
            if outer == nil { outer = declared(in: line, indented: "") }
            guard let type = outer else { continue }
            if inner == nil { inner = declared(in: line, indented: "    ").map { "\(type).\($0)" } }
            lengths[inner ?? type, default: 0] += 1
            if inner != nil, line == "    }" || line.hasSuffix("{}") { inner = nil }
            if line == "}" || (line.hasSuffix("{}") && !line.hasPrefix(" ")) { outer = nil }
        }
        return lengths
    }

    /// The type that a line begins to declare or extend.
    private static func declared(in line: Substring, indented indent: String) -> String? {
        guard line.hasPrefix(indent) else { return nil }
        let rest = line.dropFirst(indent.count)
        // Most lines declare nothing, and a pattern takes longer than this.
        guard let first = rest.first, first.isLetter || first == "@", keywords.contains(where: { rest.contains($0) })
        else { return nil }
        let words = /^(?:(?:public|package|private|fileprivate|final|indirect|nonisolated|@\w+) )*/
        let keyword = /(?:struct|class|enum|actor|protocol|extension) ([A-Z][\w.]*)/
        return rest.trimmingPrefix(words).prefixMatch(of: keyword).map { String($0.1) }
    }

    private static let keywords = ["struct ", "class ", "enum ", "actor ", "protocol ", "extension "]
}
