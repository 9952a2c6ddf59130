import Foundation
import KithModel

/// Reads tasks property by property.
struct TaskReader {
    /// A task that is being read, with the properties that determine its place.
    private struct Task {
        let line: Int
        var entry = ListDocumentBuilder.Entry()
        /// The summary's line, which faults show.
        var shown: (line: Int, text: String)?
        var status: String?
        var isComplete = false
        var identifier: String?
        var parent: String?
        var order: Int64?
        var created: Int64?
        var notes = TaskNotes()
        /// The lines that the values of ``notes`` come from.
        var noted: [(line: Int, text: String)] = []
        /// Whether an important property could not be read; there is a fault for it.
        var isBroken = false
        /// Components inside the task, such as alarms, that are still open.
        var inside = OpenComponents()
        /// The properties that it has and that count once.
        var seen: Set<String> = []

        /// Takes a property, and returns what has become of it.
        mutating func take(_ line: CalendarLine, _ raw: CalendarLines.Line) -> Taken {
            if Self.single.contains(line.name), !seen.insert(line.name).inserted {
                return .unread("further \(line.name)")
            }
            switch line.name {
            case "SUMMARY":
                let counted = CountedTitle(line.text)
                (entry.title, entry.count) = (counted.title, counted.count)
                shown = (raw.number, raw.bytes.shown)
                return .read
            case "DESCRIPTION", "CATEGORIES", "X-KITH-OFFER": return takeText(line)
            case "STATUS", "COMPLETED", "PERCENT-COMPLETE": return takeState(line)
            case "UID", "X-APPLE-SORT-ORDER", "CREATED": return takePlace(line)
            case "PRIORITY" where Int(line.value.trimmed) == 0: return .read
            case "DUE", "PRIORITY", "RELATED-TO":
                let taken = takeNote(line)
                if taken == .read { noted.append((raw.number, raw.bytes.shown)) }
                return taken
            case _ where line.name.hasPrefix("X-") || Self.exchange.contains(line.name): return .read
            default: return .unread(line.name)
            }
        }

        private mutating func takeText(_ line: CalendarLine) -> Taken {
            switch line.name {
            case "DESCRIPTION":
                guard let text = line.text.nonempty else { return .read }
                // In place, so that many of them take no quadratic time.
                if entry.comment == nil { entry.comment = text } else { entry.comment? += "\n\(text)" }
            case "CATEGORIES":
                let isFurther = entry.category != nil || line.hasSeveralTexts
                if entry.category == nil { entry.category = line.firstText.nonempty }
                if isFurther { return .unread("further CATEGORIES") }
            default: entry.offer = line.text
            }
            return .read
        }

        private mutating func takeState(_ line: CalendarLine) -> Taken {
            switch (line.name, line.value.trimmed) {
            case ("STATUS", let value): status = value.uppercased()
            case ("COMPLETED", _), (_, "100"): isComplete = true
            case (_, "0"): break
            default: return .unread("PERCENT-COMPLETE other than 0 and 100")
            }
            return .read
        }

        private mutating func takePlace(_ line: CalendarLine) -> Taken {
            switch line.name {
            case "UID": identifier = line.text
            case "CREATED": created = Self.appleSeconds(line.value)
            default: order = Int64(line.value.trimmed)
            }
            return .read
        }

        /// Takes a property that an item has no field for.
        private mutating func takeNote(_ line: CalendarLine) -> Taken {
            switch line.name {
            case "DUE":
                guard let due = TaskNotes.due(line.value.trimmed, zone: line.parameters["TZID"]) else {
                    return .fault("This date cannot be read; the task is kept.")
                }
                notes.due = due
            case "PRIORITY":
                guard let priority = Int(line.value.trimmed), (1...9).contains(priority) else {
                    return .fault("A priority is a number from 0 to 9; the task is kept.")
                }
                notes.priority = priority
            default:
                guard line.parameters["RELTYPE"]?.uppercased() ?? "PARENT" == "PARENT", line.text.nonempty != nil else {
                    return .unread("RELATED-TO other than parents")
                }
                guard parent == nil else { return .unread("further parents") }
                parent = line.text
            }
            return .read
        }

        /// Properties of which a task has one. Only the first counts.
        private static let single: Set = ["SUMMARY", "DUE", "PRIORITY", "STATUS", "X-KITH-OFFER"]

        /// Properties that only serve the exchange of tasks between programs.
        private static let exchange: Set = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"]

        private static let calendar = {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            return calendar
        }()

        /// Seconds since 2001, the reference date of sort orders; nil if the value is not like `20260301T120000Z`.
        private static func appleSeconds(_ value: String) -> Int64? {
            let digits = value.utf8.filter(\.isDigit)
            guard digits.count == 14 else { return nil }
            func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1) - 48 } }
            var parts = DateComponents()
            (parts.year, parts.month, parts.day) = (number(0..<4), number(4..<6), number(6..<8))
            (parts.hour, parts.minute, parts.second) = (number(8..<10), number(10..<12), number(12..<14))
            return calendar.date(from: parts).map { Int64($0.timeIntervalSinceReferenceDate) }
        }
    }

    /// What has become of a property.
    private enum Taken: Equatable {
        case read
        /// It is not imported. The name for the report.
        case unread(String)
        /// It cannot be read, for this reason.
        case fault(String)
    }

    /// The names of components that have begun, from the outermost to the innermost.
    private struct OpenComponents {
        private var names: [String] = []
        private var counts: [String: Int] = [:]

        var isEmpty: Bool { names.isEmpty }

        mutating func begin(_ name: String) {
            names.append(name)
            counts[name, default: 0] += 1
        }

        /// Ends the innermost component of this name, and those in it.
        mutating func end(_ name: String) {
            guard counts[name, default: 0] > 0 else { return }
            while let last = names.popLast() {
                counts[last, default: 0] -= 1
                if last == name { return }
            }
        }
    }

    /// A component with user content that is not a task, such as an event, and the line that faults show.
    private struct Stranger {
        let kind: String
        let line: Int
        var text: String
        var isNamed = false

        mutating func name(_ summary: String) { (text, isNamed) = (summary, true) }
    }

    private var builder = ListDocumentBuilder()
    private var tasks: [Task] = []
    private var current: Task?
    private var stranger: Stranger?
    private var isCalendar = false

    /// - Throws: ``ListFormat/Failure`` if there are too many tasks.
    mutating func read(_ raw: CalendarLines.Line) throws {
        let line: CalendarLine
        do {
            line = try CalendarLine(raw.bytes)
        } catch {
            // Outside of tasks, only lines before the calendar can be faults; other components may contain anything.
            guard current != nil || !isCalendar else { return }
            builder.fault(line: raw.number, text: raw.bytes.shown, error.sentence)
            if error != .noProperty { current?.isBroken = true }
            return
        }
        switch (line.name, line.value.uppercased()) {
        case ("BEGIN", "VCALENDAR"):
            endTruncated()
            isCalendar = true
        case ("BEGIN", "VTODO"):
            endTruncated()
            current = Task(line: raw.number)
        case ("END", "VTODO"):
            guard let task = current else {
                return builder.fault(line: raw.number, text: raw.bytes.shown, "No task begins before this end.")
            }
            current = nil
            try close(task)
        case ("END", "VCALENDAR"): endTruncated()
        case ("BEGIN", let component):
            if current != nil { builder.unread(component) }
            current?.inside.begin(component)
            if current == nil, let kind = Self.strangers[component] {
                stranger = Stranger(kind: kind, line: raw.number, text: raw.bytes.shown)
            }
        case ("END", let component):
            if let stranger, Self.strangers[component] == stranger.kind { endStranger() }
            current?.inside.end(component)
        default:
            if stranger != nil {
                // Only the first SUMMARY belongs to the component; alarms inside it may have others.
                if line.name == "SUMMARY", stranger?.isNamed == false { stranger?.name(raw.bytes.shown) }
            } else if current == nil {
                if line.name == "X-WR-CALNAME" || (line.name == "NAME" && builder.document.name == nil) {
                    builder.take(name: line.text, line: raw.number, text: raw.bytes.shown)
                }
            } else if current?.inside.isEmpty == true {
                property(line, raw)
            }
        }
    }

    /// - Throws: ``ListFormat/Failure`` if the file is no calendar.
    mutating func finished() throws -> ListDocument {
        endTruncated()
        guard isCalendar || !tasks.isEmpty else {
            throw ListFormat.Failure(
                .notThisFormat, "This is not an iCalendar file: it has no BEGIN:VCALENDAR. Is it another format?")
        }
        let titles = Dictionary(tasks.compactMap { task in task.identifier.map { ($0, task.entry.title) } }) { $1 }
        for var task in arranged() {
            note(&task, titles)
            try builder.take(task.entry, line: task.shown?.line ?? task.line, text: task.shown?.text ?? "BEGIN:VTODO")
        }
        return builder.finished()
    }

    private mutating func property(_ line: CalendarLine, _ raw: CalendarLines.Line) {
        switch current?.take(line, raw) {
        case nil, .read: break
        case .unread(let name): builder.unread(name)
        case .fault(let reason): builder.fault(line: raw.number, text: raw.bytes.shown, reason)
        }
    }

    /// Components with user content that are not tasks.
    private static let strangers = ["VEVENT": "an event", "VJOURNAL": "a journal", "VFREEBUSY": "a free or busy time"]

    /// Adds the properties that an item has no field for to the comment, or faults for their lines if there is no room.
    private mutating func note(_ task: inout Task, _ titles: [String: String]) {
        if let parent = task.parent {
            let title = titles[parent].flatMap { $0.isBlank ? nil : $0 } ?? parent
            task.notes.parent = TaskNotes.name(title).nonempty
        }
        let comment = task.notes.appended(to: task.entry.comment)
        if let comment, let reason = ListItem.schema["comment"]?.fault(in: .text(comment)),
            !task.noted.isEmpty
        {
            for noted in task.noted {
                builder.fault(line: noted.line, text: noted.text, "It has no room in the comment. \(reason)")
            }
        } else {
            task.entry.comment = comment
        }
    }

    private mutating func close(_ task: Task) throws {
        var task = task
        guard !task.isBroken else { return }
        // All tasks are in memory until they can be arranged.
        guard tasks.count < ListFormat.itemLimit else { throw ListFormat.Failure.tooManyItems }
        task.entry.isTicked = task.status.map { $0 == "COMPLETED" || $0 == "CANCELLED" } ?? task.isComplete
        tasks.append(task)
    }

    /// Adds a fault for a task without an end line, because it may be incomplete.
    private mutating func endTruncated() {
        endStranger()
        guard let task = current else { return }
        current = nil
        builder.fault(
            line: task.line, text: task.shown?.text ?? "BEGIN:VTODO", "The task that begins here has no END:VTODO.")
    }

    private mutating func endStranger() {
        guard let stranger else { return }
        self.stranger = nil
        builder.fault(
            line: stranger.line, text: stranger.text, "This is \(stranger.kind); only tasks are imported.")
    }

    /// The tasks in their order, each before its children.
    private func arranged() -> [Task] {
        var order = Array(tasks.indices)
        if tasks.contains(where: { $0.order != nil }) {
            let keys = tasks.map { $0.order ?? $0.created ?? .max }
            order.sort { (keys[$0], $0) < (keys[$1], $1) }
        }
        var places: [String: Int] = [:]
        for index in order { if let id = tasks[index].identifier { places[id] = index } }
        var children: [Int: [Int]] = [:]
        var roots: [Int] = []
        for index in order {
            if let parent = tasks[index].parent.flatMap({ places[$0] }), parent != index {
                children[parent, default: []].append(index)
            } else {
                roots.append(index)
            }
        }
        // Uses an explicit stack, because there may be as many levels as tasks. Tasks that are each other's parents
        // come last.
        var result: [Task] = []
        var isPlaced = Array(repeating: false, count: tasks.count)
        var open = Array((roots + order).reversed())
        while let index = open.popLast() {
            guard !isPlaced[index] else { continue }
            isPlaced[index] = true
            result.append(tasks[index])
            open += (children[index] ?? []).reversed()
        }
        return result
    }
}
