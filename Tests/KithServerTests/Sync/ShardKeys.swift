import KithServer

/// The tables that a statement names, each with the values of the column by which a sharded database finds its shard.
///
/// It reads the subset of SQL that the server writes: conditions that are joined by AND, rows of parameters, and an
/// array for each column. A column has a value if equalities lead from it to a parameter.
struct ShardKeys: Hashable {
    /// A table with the values of its key.
    struct Use: Hashable {
        let table: String
        /// Empty if the statement does not say in which shard the rows are.
        let values: Set<SQLValue>
    }

    /// The key of each table. Other tables are not sharded.
    static let columns = [
        "feed": "id", "record": "feed", "tombstone": "feed", "access": "feed", "gift": "list", "link": "list",
        "account": "id", "device": "account", "taken": "account",
    ]
    /// The tables of which every machine has all rows, so that any shard can join them.
    static let copied: Set = ["storage"]

    let uses: Set<Use>

    init(_ sql: String, _ values: [SQLValue]) {
        let words = Self.words(of: sql)
        let tables = Self.tables(in: words)
        var equal: [String: Set<String>] = [:]
        for (left, right) in Self.equalities(in: words, tables) + Self.assignments(in: words) {
            equal[left, default: []].insert(right)
            equal[right, default: []].insert(left)
        }
        uses = Set(
            tables.map { name, table in
                let key = Self.columns[table].map { "\(name).\($0)" }
                return Use(table: table, values: key.map { Self.values(of: $0, equal, values) } ?? [])
            })
    }

    /// The tables in alphabetical order, as “access by list, revision by nothing, storage everywhere”. `names` has
    /// names for the values.
    func text(_ names: [SQLValue: String]) -> String {
        let texts = uses.map { use in
            if Self.copied.contains(use.table) { return "\(use.table) everywhere" }
            let keys = use.values.map { names[$0] ?? "\($0)" }.sorted()
            return "\(use.table) by \(keys.isEmpty ? "nothing" : keys.joined(separator: " and "))"
        }
        return texts.sorted().joined(separator: ", ")
    }

    // MARK: Reading

    /// The words and signs of a statement. The parameters are called ?0, ?1 and so on.
    private static func words(of sql: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isText = false
        var parameters = 0
        for character in sql {
            if isText {
                word.append(character)
                isText = character != "'"
                continue
            }
            if character.isLetter || character.isNumber || character == "_" || character == "." {
                word.append(character)
                continue
            }
            if !word.isEmpty { words.append(word) }
            word = ""
            switch character {
            case "'":
                word = "'"
                isText = true
            case "?":
                words.append("?\(parameters)")
                parameters += 1
            case "=" where words.last == "<" || words.last == ">":
                words[words.count - 1] += "="
            default:
                if !character.isWhitespace { words.append(String(character)) }
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// The tables of a statement by the names that it gives them. The row set `wanted` is no table.
    private static func tables(in words: [String]) -> [String: String] {
        var tables: [String: String] = [:]
        for (index, word) in words.enumerated() where ["FROM", "JOIN", "INTO", "UPDATE"].contains(word) {
            let next = words[(index + 1)...].prefix(3).map(\.self)
            // “FOR UPDATE OF feed” and “DO UPDATE SET” name no further table.
            guard let table = next.first, !["wanted", "unnest", "(", "OF", "SET"].contains(table) else { continue }
            tables[next.count == 3 && next[1] == "AS" ? next[2] : table] = table
        }
        return tables
    }

    /// The equalities between columns and parameters.
    private static func equalities(in words: [String], _ tables: [String: String]) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for index in words.indices where words[index] == "=" && index > 0 && index + 1 < words.count {
            pairs.append((column(words[index - 1], tables), column(words[index + 1], tables)))
        }
        return pairs
    }

    /// The columns of row sets and of inserted rows, with the parameters that are their values.
    private static func assignments(in words: [String]) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for (index, word) in words.enumerated() where word == "WITH" || word == "INTO" {
            let head = words[(index + 1)...]
            guard let owner = head.first, let rows = head.firstIndex(where: { ["VALUES", "unnest"].contains($0) })
            else { continue }
            let columns = head.dropFirst(2).prefix { $0 != ")" }.filter { $0 != "," }
            if words[rows] == "unnest" {
                pairs += zip(columns, words[rows...].filter { $0.hasPrefix("?") }).map { ("\(owner).\($0)", $1) }
                continue
            }
            var place = rows + 1
            while place < words.count, words[place] == "(" {
                let row = words[(place + 1)...].prefix { $0 != ")" }
                pairs += zip(columns, row.filter { $0 != "," }).map { ("\(owner).\($0)", $1) }
                place = row.endIndex + 1
                if place < words.count, words[place] == "," { place += 1 }
            }
        }
        return pairs
    }

    /// The name of a column with its table, if there is only one.
    private static func column(_ word: String, _ tables: [String: String]) -> String {
        guard let name = tables.keys.first, tables.count == 1, !word.contains("."), !word.hasPrefix("?") else {
            return word
        }
        return "\(name).\(word)"
    }

    /// The values of the parameters to which equalities lead from a column.
    private static func values(
        of column: String, _ equal: [String: Set<String>], _ values: [SQLValue]
    ) -> Set<SQLValue> {
        var (found, waiting): (Set<String>, [String]) = ([column], [column])
        while let next = waiting.popLast() {
            for other in equal[next] ?? [] where found.insert(other).inserted { waiting.append(other) }
        }
        let parameters = found.filter { $0.hasPrefix("?") }.compactMap { Int($0.dropFirst()) }
        return Set(parameters.filter(values.indices.contains).flatMap { elements(of: values[$0]) })
    }

    private static func elements(of value: SQLValue) -> [SQLValue] {
        if case .array(let elements) = value { elements } else { [value] }
    }
}
