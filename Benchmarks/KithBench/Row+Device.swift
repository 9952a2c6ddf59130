extension Row {
    static let device: [Row] = [
        Row("edit", "a local edit: the record's row and the outbox", measure: LocalEdits.measure),
        Row("list-read", "reading a list of 1,000 items as Swift values", measure: ListReading.measure),
        Row("live-query", "from an edit to the list that an observer receives", measure: LiveQuery.measure),
        Row("first-fill", "the first fill of a device: speed, memory, and killing it", measure: FirstFill.measure),
        Row("waiting", "edits that wait offline: sending them, and one more edit", measure: WaitingEdits.measure),
        Row("pull", "a pull over 1,000 waiting edits", measure: { try PullOverEdits.measure($0) }),
        Row("switch", "switching between accounts on a device", measure: AccountSwitch.measure),
        Row("roster", "a network of 10,000 people, read and changed", measure: { try await Circle.measureRoster($0) }),
        Row("profile", "a profile change told to 1,000 contacts", measure: { try await Circle.measureProfile($0) }),
    ]
}
