/// The links to symbols (``Name``) in the comments of Swift code.
enum SymbolLinks {
    /// The first name of each link that stands in the comment of a public declaration.
    static func inPublicComments(of code: String) -> [String] {
        var comment: [Substring] = []
        var names: [String] = []
        for line in code.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("///") {
                comment.append(line)
            } else if !line.hasPrefix("@") {
                if line.hasPrefix("public ") {
                    for line in comment where line.contains("``") {
                        names += line.matches(of: /``(\w+)[^`]*``/).map { String($0.1) }
                    }
                }
                comment = []
            }
        }
        return names
    }

    /// The types that the code declares, public ones or all others.
    static func types(in code: String, isPublic: Bool) -> [String] {
        let kinds: Set<Substring> = ["actor", "class", "enum", "protocol", "struct", "typealias"]
        return code.split(separator: "\n").compactMap { line in
            let line = line.drop { $0 == " " }
            guard !line.hasPrefix("/") else { return nil }
            // The modifiers come before the kind, such as “public final class”, and the name after it.
            let words = line.split(maxSplits: 5) { !$0.isLetter && !$0.isNumber }
            guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
                words[..<kind].contains("public") == isPublic
            else { return nil }
            return String(words[kind + 1])
        }
    }
}
