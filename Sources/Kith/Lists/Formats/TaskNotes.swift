import KithModel

/// The properties of a task that an item has no field for: its due date, its priority and its parent.
///
/// They are in the last lines of the item's comment, in this order, and become properties again when the list is
/// written as a calendar:
///
///     Due: 2026-02-20 18:00 Europe/Berlin
///     Priority: 5
///     Part of: Weekend trip
struct TaskNotes: Hashable {
    /// The due date in the form of its line: `2026-02-20`, `2026-02-20 18:00`, `2026-02-20 18:00:30 UTC`.
    var due: String?
    /// The priority from 1, the most urgent, to 9.
    var priority: Int?
    /// The title of the parent task.
    var parent: String?

    var lines: [String] {
        [due.map { "Due: \($0)" }, priority.map { "Priority: \($0)" }, parent.map { "Part of: \($0)" }].compactMap(
            \.self)
    }

    /// The comment with these lines at its end.
    func appended(to comment: String?) -> String? {
        let parts = [comment?.nonempty].compactMap(\.self) + lines
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    /// Splits off the lines at the end of a comment that ``appended(to:)`` would write.
    static func split(_ comment: String?) -> (comment: String?, notes: TaskNotes) {
        guard let comment else { return (nil, TaskNotes()) }
        var notes = TaskNotes()
        var lines = comment.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        func last(_ label: String) -> String? {
            guard let line = lines.last, line.hasPrefix(label) else { return nil }
            return String(line.dropFirst(label.count))
        }
        if let parent = last("Part of: "), isName(parent) {
            notes.parent = parent
            lines.removeLast()
        }
        if let text = last("Priority: "), let priority = Int(text), (1...9).contains(priority), text.utf8.count == 1 {
            notes.priority = priority
            lines.removeLast()
        }
        if let due = last("Due: "), property(due: due) != nil {
            notes.due = due
            lines.removeLast()
        }
        let rest = lines.joined(separator: "\n")
        // Split only if the parts give exactly the same comment again, and never inside CR LF, which is one line end.
        guard let again = notes.appended(to: rest), again.utf8.elementsEqual(comment.utf8), rest.utf8.last != 0x0D
        else {
            return (comment.nonempty, TaskNotes())
        }
        return (rest.nonempty, notes)
    }

    /// A task's title in the form that a `Part of` line has.
    static func name(_ title: String) -> String {
        String(String.UnicodeScalarView(title.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
            .trimmed
    }

    /// Whether a text can be the title in a `Part of` line and the value of a property.
    private static func isName(_ text: String) -> Bool { !text.isBlank && text.trimmed == text && text.isPlain }

    // MARK: Due

    /// The `Due` line's form of a DUE property; nil if the property has no readable date, or one that does not exist.
    static func due(_ value: String, zone: String?) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false).map(Array.init)
        guard let day = parts.first, day.count == 8, day.allSatisfy(\.isDigit), parts.count <= 2 else { return nil }
        func text(_ digits: ArraySlice<UInt8>) -> String { String(decoding: digits, as: UTF8.self) }
        func number(_ digits: ArraySlice<UInt8>) -> Int { digits.reduce(0) { $0 * 10 + Int($1) - 48 } }
        guard isDay(year: number(day[0..<4]), month: number(day[4..<6]), day: number(day[6..<8])) else { return nil }
        let date = "\(text(day[0..<4]))-\(text(day[4..<6]))-\(text(day[6..<8]))"
        guard parts.count == 2 else { return date }
        let isUTC = parts[1].last == UInt8(ascii: "Z")
        let time = Array(isUTC ? parts[1].dropLast() : parts[1][...])
        guard time.count == 6, time.allSatisfy(\.isDigit) else { return nil }
        // A minute can have a leap second.
        guard number(time[0..<2]) < 24, number(time[2..<4]) < 60, number(time[4..<6]) < 61 else { return nil }
        let seconds = text(time[4..<6])
        let clock = "\(text(time[0..<2])):\(text(time[2..<4]))" + (seconds == "00" ? "" : ":\(seconds)")
        let place = isUTC ? "UTC" : zone
        guard let place else { return "\(date) \(clock)" }
        return place.isZone ? "\(date) \(clock) \(place)" : nil
    }

    /// Whether the calendar has this day.
    private static func isDay(year: Int, month: Int, day: Int) -> Bool {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return days.indices.contains(month - 1) && 1...days[month - 1] ~= day
    }

    /// The DUE property of a `Due` line: its name with parameters, and its value. Returns nil if it would not be read
    /// back as the same line.
    static func property(due: String) -> (name: String, value: String)? {
        let parts = due.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        let day = String(parts[0].filter { $0 != "-" })
        guard parts.count > 1 else {
            return Self.due(day, zone: nil) == due ? ("DUE;VALUE=DATE", day) : nil
        }
        var time = String(parts[1].filter { $0 != ":" })
        if time.utf8.count == 4 { time += "00" }
        let zone = parts.count > 2 ? String(parts[2]) : nil
        let isUTC = zone == "UTC"
        let value = "\(day)T\(time)" + (isUTC ? "Z" : "")
        guard Self.due(value, zone: zone) == due else { return nil }
        return (isUTC ? "DUE" : zone.map { "DUE;TZID=\($0.asParameter)" } ?? "DUE", value)
    }
}

extension String {
    /// Whether the text has no control characters.
    fileprivate var isPlain: Bool { unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }

    /// Whether the text can be a parameter: the name of a time zone, such as `Europe/Berlin`.
    fileprivate var isZone: Bool { !isEmpty && isPlain && !unicodeScalars.contains("\"") }

    /// The value of a parameter, in quotes if it needs them, such as `(UTC+01:00) Amsterdam, Berlin` from Outlook.
    fileprivate var asParameter: String {
        unicodeScalars.contains { [":", ";", ","].contains($0) } ? "\"\(self)\"" : self
    }
}
