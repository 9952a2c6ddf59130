/// The options of a selection in a form: the first one chooses everything.
enum SelectOptions {
    /// The options with their names in words.
    static func rows(_ options: [(value: String, label: PageValue)], selected: String?) -> PageValue {
        let all: [(value: String, label: PageValue)] = [("", .phrase("operator.all"))]
        return .rows(
            (all + options).map { option in
                [
                    "value": .text(option.value), "label": option.label,
                    "isSelected": .flag(option.value == selected ?? ""),
                ]
            })
    }

    /// The options whose names are their values. A selected one that is not among them is added.
    static func names(_ options: [String], selected: String?) -> PageValue {
        var all = options
        if let selected, !all.contains(selected) { all.append(selected) }
        return rows(all.map { ($0, .text($0)) }, selected: selected)
    }
}
