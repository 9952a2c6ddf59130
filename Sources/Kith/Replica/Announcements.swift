/// What one transaction reports to observers. Confirmations of this device's own edits are reported first.
struct Announcements {
    /// Confirmations of this device's own edits.
    var own: [Announcement] = []
    /// Everything else.
    var others: [Announcement] = []

    mutating func add<Record: ObservedRecord>(_ changes: ChangesByAuthor<Record>) {
        own.append(.changes(changes.own))
        others.append(.changes(changes.others))
    }
}
