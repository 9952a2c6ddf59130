/// As much of Markdown as the house's own pages use.
enum Markdown {
    /// The targets of links and pictures, those outside the repository left out.
    static func links(in text: String) -> [String] {
        prose(text).flatMap { line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
        }
        .filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    }

    /// The path from the root that `link` means in a page of `folder`; nil if it leaves the root.
    static func resolve(_ link: String, from folder: [String]) -> String? {
        var steps = folder
        for step in link.split(separator: "/") where step != "." {
            if step != ".." {
                steps.append(String(step))
            } else if steps.popLast() == nil {
                return nil
            }
        }
        return steps.joined(separator: "/")
    }

    /// The anchors of a page's headings, as GitHub makes them.
    static func anchors(in text: String) -> Set<String> {
        Set(
            prose(text).filter { $0.hasPrefix("#") }.map { line in
                let heading = line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                return String(
                    heading.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                        .map { $0 == " " ? "-" : $0 })
            })
    }

    /// The content of the first code block after `marker`.
    static func block(after marker: String, in text: String) -> String? {
        guard let start = text.firstRange(of: marker) else { return nil }
        let lines = text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
        guard let open = lines.firstIndex(where: { $0.hasPrefix("```") }) else { return nil }
        let body = lines[(open + 1)...].prefix { !$0.hasPrefix("```") }
        return body.map { $0 + "\n" }.joined()
    }

    /// The cells of the column headed `name`, of every table that has one.
    static func column(_ name: String, in text: String) -> [String] {
        var cells: [String] = []
        var column: Int?
        var isInTable = false
        for line in prose(text) {
            guard line.hasPrefix("|") else {
                (column, isInTable) = (nil, false)
                continue
            }
            let row = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
                .map { trimmed($0) }
            if !isInTable {
                isInTable = true
                column = row.firstIndex { $0.lowercased() == name }
            } else if let column, row.indices.contains(column), !row[column].hasPrefix("---") {
                cells.append(row[column])
            }
        }
        return cells
    }

    /// The lines outside of code blocks.
    private static func prose(_ text: String) -> [Substring] {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            guard line.drop(while: { $0 == " " }).hasPrefix("```") else { return !isCode }
            isCode.toggle()
            return false
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// A folder of pages that DocC reads.
enum Catalogue {
    /// Whether a page is in a catalogue, and not its first page, which has the module's name.
    static func isInner(_ page: House.File) -> Bool {
        let folder = page.path.split(separator: "/").dropLast().last ?? ""
        return folder.hasSuffix(".docc") && page.name != folder.dropLast(".docc".count) + ".md"
    }

    /// Whether it is an article. The other inner pages group the members of a type, and are titled with its symbol.
    static func isArticle(_ page: House.File) -> Bool { isInner(page) && !page.text.hasPrefix("# ``") }
}

/// The names of tests, as code declares them and as a page quotes them.
enum TestNames {
    static func declared(in code: String) -> [String] {
        code.matches(of: /@Test\(\s*"((?:[^"\\]|\\.)*)"/).map { String($0.1) }
            + code.matches(of: /func\s+`([^`]+)`/).map { String($0.1) }
            + code.matches(of: /func\s+([A-Za-z_][A-Za-z0-9_]*)/).map { String($0.1) }
    }

    /// Each name in backticks; the whole cell if there are none.
    static func named(in cell: String) -> [String] {
        let quoted = cell.matches(of: /`([^`]+)`/).map { String($0.1) }
        let names = quoted.isEmpty ? [cell] : quoted
        return names.filter { !$0.isEmpty && $0 != "–" && $0 != "—" }.map { $0.replacing("()", with: "") }
    }
}
