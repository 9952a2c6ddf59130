/// One iCalendar property: `NAME;PARAMETER=VALUE:value`.
struct CalendarLine {
    /// The name in capitals.
    let name: String
    /// The parameters by name, in capitals.
    let parameters: [String: String]
    /// The raw value from the file.
    let value: String

    /// Returns nil if the line is not a property or not UTF-8.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self)?.unicodeScalars else { return nil }
        // A colon in quotes belongs to a parameter.
        var isQuoted = false
        var parts: [Substring.UnicodeScalarView] = []
        var start = text.startIndex
        var colon: String.Index?
        for index in text.indices {
            switch text[index] {
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted, ":" where !isQuoted:
                parts.append(text[start..<index])
                start = text.index(after: index)
                if text[index] == ":" { colon = index }
            default: break
            }
            if colon != nil { break }
        }
        guard let colon, let name = parts.first, !name.isEmpty, name.allSatisfy(\.isNamePart) else { return nil }
        self.name = String(name).uppercased()
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let sign = part.firstIndex(of: "=") else { continue }
            let value = part[part.index(after: sign)...].filter { $0 != "\"" }
            parameters[String(part[..<sign]).uppercased()] = String(String.UnicodeScalarView(value))
        }
        self.parameters = parameters
        value = String(text[text.index(after: colon)...])
    }

    /// The value as text, with escapes resolved.
    var text: String { texts(parted: false)[0] }
    /// The first of several texts that are separated by commas.
    var firstText: String { texts(parted: true)[0].trimmed }

    /// Whether there are several texts that are separated by commas.
    var hasSeveralTexts: Bool { texts(parted: true).count > 1 }

    private func texts(parted: Bool) -> [String] {
        var texts = [String.UnicodeScalarView()]
        var scalars = value.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar == "," && parted {
                texts.append(String.UnicodeScalarView())
            } else if scalar == "\\", let next = scalars.next() {
                switch next {
                case "n", "N": texts[texts.count - 1].append("\n")
                case "\\", ",", ";", ":", "\"": texts[texts.count - 1].append(next)
                default: texts[texts.count - 1].append(contentsOf: [scalar, next])
                }
            } else {
                texts[texts.count - 1].append(scalar)
            }
        }
        return texts.map { String($0) }
    }
}
