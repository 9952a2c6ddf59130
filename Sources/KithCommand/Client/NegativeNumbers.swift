import ArgumentParser

/// Negative numbers in arguments: ArgumentParser treats every word that begins with a dash as an option.
enum NegativeNumbers {
    /// `arguments`, rewritten so that ArgumentParser accepts negative numbers as values.
    ///
    /// A negative number after an option that takes a value is joined with it: `--more -1` is `--more=-1`. A negative
    /// number elsewhere is an argument, and goes after `--` together with the arguments after it.
    static func marked(_ arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        guard arguments[..<end].contains(where: isNegative), arguments.first?.hasPrefix("---") != true else {
            return arguments
        }
        let command = TypedCommand(arguments, of: root)
        let options = command.valueOptions
        var marked = command.path
        var last: [String] = []
        var isMarked = false
        var words = command.rest.prefix { $0 != "--" }
        while let word = words.popFirst() {
            if options.contains(word), let value = words.popFirst() {
                marked += isNegative(value) && word.hasPrefix("--") ? ["\(word)=\(value)"] : [word, value]
            } else if isNegative(word) || isMarked && !word.hasPrefix("-") {
                isMarked = true
                last.append(word)
            } else {
                marked.append(word)
            }
        }
        last += arguments[end...].dropFirst()
        return isMarked || end < arguments.endIndex ? marked + ["--"] + last : marked
    }

    private static func isNegative(_ word: String) -> Bool {
        word.hasPrefix("-") && word.dropFirst().first?.isNumber == true
    }
}
