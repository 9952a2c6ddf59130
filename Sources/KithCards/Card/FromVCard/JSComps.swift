/// The order of the parts of a name or an address: the parameter JSCOMPS (RFC 9555, section 3.3.1).
struct JSComps: Equatable {
    /// One element of the order.
    enum Step: Hashable {
        /// The value at index `value` of the component at index `component`.
        case part(component: Int, value: Int)
        case separator(String)
    }

    /// The separator between parts that have no explicit one.
    var defaultSeparator: String?
    var steps: [Step]

    init(defaultSeparator: String?, steps: [Step]) { (self.defaultSeparator, self.steps) = (defaultSeparator, steps) }

    /// Parses the parameter; nil if it is not valid.
    init?(_ text: String) {
        let entries = Self.parts(of: text, at: ";").map { Self.parts(of: $0, at: ",") }
        guard let first = entries.first else { return nil }
        if first != [""] {
            guard case .separator(let separator) = Self.step(first) else { return nil }
            defaultSeparator = separator
        }
        steps = []
        for entry in entries.dropFirst() {
            guard let step = Self.step(entry) else { return nil }
            steps.append(step)
        }
        guard !steps.isEmpty else { return nil }
    }

    private static func step(_ entry: [String]) -> Step? {
        if entry.first == "s", entry.count == 2 { return .separator(unescaped(entry[1])) }
        guard 1...2 ~= entry.count, let component = Int(entry[0]), component >= 0 else { return nil }
        guard entry.count == 2 else { return .part(component: component, value: 0) }
        return Int(entry[1]).flatMap { $0 >= 0 ? .part(component: component, value: $0) : nil }
    }

    /// Splits `text` at each `mark` without a backslash before it. The backslashes stay.
    private static func parts(of text: String, at mark: Character) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if character == mark, !isEscaped {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        return parts
    }

    private static func unescaped(_ text: String) -> String {
        var plain = ""
        var isEscaped = false
        for character in text {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { plain.append(character) }
        }
        return plain
    }

    /// The values in this order, each with the index of its component; a separator has none. Nil if the order does not
    /// name exactly `count` different values.
    func ordered(_ values: ArraySlice<[String]>, count: Int) -> [(component: Int?, text: String)]? {
        var ordered: [(Int?, String)] = []
        var parts: Set<Step> = []
        for step in steps {
            switch step {
            case .separator(let text): ordered.append((nil, text))
            case .part(let index, let number):
                guard index < values.count, number < values[index].count, parts.insert(step).inserted else {
                    return nil
                }
                ordered.append((index, values[index][number].trimmedASCII))
            }
        }
        return parts.count == count ? ordered : nil
    }

    /// The parameter's value.
    var text: String {
        let entries = steps.map { step in
            switch step {
            case .part(let component, 0): "\(component)"
            case .part(let component, let value): "\(component),\(value)"
            case .separator(let separator): Self.text(of: separator)
            }
        }
        return ([defaultSeparator.map(Self.text) ?? ""] + entries).joined(separator: ";")
    }

    private static func text(of separator: String) -> String {
        "s,"
            + separator.reduce(into: "") { text, character in
                if character == "," || character == ";" || character == "\\" { text.append("\\") }
                text.append(character)
            }
    }
}
