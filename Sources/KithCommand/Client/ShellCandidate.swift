import ArgumentParser

extension String {
    /// The text as a candidate for completion, as the shell that asks needs it. Other people choose the names of lists and
    /// people, so no shell may run a part of them.
    ///
    /// bash expands each candidate like a word of a command, although ArgumentParser's documentation says that it is taken
    /// as it is, and then types what is left. So the text is escaped for the command line, and quoted for the expansion. zsh
    /// takes what follows a colon for a description.
    var shellCandidate: String {
        switch CompletionShell.requesting {
        case .bash: escapedForShell.shellWord
        case .zsh: replacing(":", with: #"\:"#)
        default: self
        }
    }

    /// The text as the beginning of a word that somebody types: with a backslash before each character that is no letter or
    /// digit.
    private var escapedForShell: String {
        let plain = "0123456789-_./".unicodeScalars
        let escaped = unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
            let isPlain = !scalar.isASCII || scalar.properties.isAlphabetic || plain.contains(scalar)
            return isPlain ? [scalar] : ["\\", scalar]
        }
        return String(String.UnicodeScalarView(escaped))
    }
}
