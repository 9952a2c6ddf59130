/// What one transaction reports to observers. Confirmations of this device's own edits are reported first.
struct Announcements {
    /// Confirmations of this device's own edits.
    private(set) var own: [Announcement] = []
    /// Everything else.
    private(set) var others: [Announcement] = []

    mutating func add<Record: ObservedRecord>(_ changes: ChangesByAuthor<Record>) {
        add(own: changes.own, others: changes.others)
    }

    /// Adds changes, if there are any.
    mutating func add<Changes: ReportedChanges>(own: Changes, others: Changes) {
        if !own.isEmpty { self.own.append(.changes(own)) }
        if !others.isEmpty { self.others.append(.changes(others)) }
    }
}
