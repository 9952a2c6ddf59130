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
        if Self.single.contains(line.name), current?.seen.insert(line.name).inserted == false {
            return builder.unread("further \(line.name)")
        }
        switch line.name {
        case "SUMMARY":
            let counted = CountedTitle(line.text)
            current?.entry.title = counted.title
            current?.entry.count = counted.count
            current?.shown = (raw.number, raw.bytes.shown)
        case "DESCRIPTION":
            guard let text = line.text.nonempty else { return }
            if current?.entry.comment == nil {
                current?.entry.comment = text
            } else {
                current?.entry.comment? += "\n\(text)"
            }
        case "CATEGORIES":
            if current?.entry.category != nil || line.hasSeveralTexts { builder.unread("further CATEGORIES") }
            if current?.entry.category == nil { current?.entry.category = line.firstText.nonempty }
        case "DUE":
            if let due = TaskNotes.due(line.value.trimmed, zone: line.parameters["TZID"]) {
                current?.notes.due = due
                current?.noted.append((raw.number, raw.bytes.shown))
            } else {
                builder.fault(line: raw.number, text: raw.bytes.shown, "This date cannot be read; the task is kept.")
            }
        case "PRIORITY":
            switch Int(line.value.trimmed) {
            case 0?: break
            case let priority? where (1...9).contains(priority):
                current?.notes.priority = priority
                current?.noted.append((raw.number, raw.bytes.shown))
            default:
                builder.fault(
                    line: raw.number, text: raw.bytes.shown, "A priority is a number from 0 to 9; the task is kept.")
            }
        case "X-KITH-OFFER": current?.entry.offer = line.text
        case "STATUS": current?.status = line.value.trimmed.uppercased()
        case "COMPLETED": current?.isComplete = true
        case "PERCENT-COMPLETE":
            switch line.value.trimmed {
            case "100": current?.isComplete = true
            case "0": break
            default: builder.unread("PERCENT-COMPLETE other than 0 and 100")
            }
        case "UID": current?.identifier = line.text
        case "RELATED-TO":
            if line.parameters["RELTYPE"]?.uppercased() ?? "PARENT" == "PARENT", line.text.nonempty != nil {
                guard current?.parent == nil else { return builder.unread("further parents") }
                current?.parent = line.text
                current?.noted.append((raw.number, raw.bytes.shown))
            } else {
                builder.unread("RELATED-TO other than parents")
            }
        case "X-APPLE-SORT-ORDER": current?.order = Int64(line.value.trimmed)
        case "CREATED": current?.created = Self.appleSeconds(line.value)
        case _ where line.name.hasPrefix("X-") || Self.exchange.contains(line.name): break
        default: builder.unread(line.name)
        }
    }

    /// Components with user content that are not tasks.
    private static let strangers = ["VEVENT": "an event", "VJOURNAL": "a journal", "VFREEBUSY": "a free or busy time"]

    /// Properties of which a task has one. Only the first counts.
    private static let single: Set = ["SUMMARY", "DUE", "PRIORITY", "STATUS", "X-KITH-OFFER"]

    /// Properties that only serve the exchange of tasks between programs.
    private static let exchange: Set = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"]

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
