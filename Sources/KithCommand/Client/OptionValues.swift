import ArgumentParser

/// Values of options that ArgumentParser does not accept as they are written: empty ones, and texts that begin with a dash.
enum OptionValues {
    /// `arguments`, rewritten so that ArgumentParser accepts these values.
    ///
    /// An empty value becomes a word of its own: `--category=` is `--category ''`. A text that begins with a dash is joined
    /// with its option: `--comment '- milk'` is `--comment='- milk'`. A word of which the white space shows that it is no
    /// option counts as such a text.
    static func marked(_ arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        // A shell that asks for completions sends its words as they are.
        guard arguments.first?.hasPrefix("---") != true,
            arguments[..<end].contains(where: { $0.hasSuffix("=") || isDashedText($0) })
        else { return arguments }
        let options = TypedCommand(arguments, of: root).valueOptions
        var words = arguments[..<end]
        var marked: [String] = []
        while let word = words.popFirst() {
            if word.hasSuffix("="), options.contains(String(word.dropLast())) {
                marked += [String(word.dropLast()), ""]
            } else if word.hasPrefix("--"), options.contains(word), let value = words.first, isDashedText(value) {
                marked.append("\(word)=\(value)")
                words = words.dropFirst()
            } else {
                marked.append(word)
            }
        }
        return marked + arguments[end...]
    }

    /// Whether a word begins with a dash, and has white space where an option has its name.
    private static func isDashedText(_ word: String) -> Bool {
        word.hasPrefix("-") && word.prefix { $0 != "=" }.contains(where: \.isWhitespace)
    }
}
