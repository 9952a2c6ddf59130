/// Reads a list from JSON, item by item.
struct ItemsReader {
    private let source: SourceText
    private var scanner: JSONScanner
    private var builder = ListDocumentBuilder()
    /// The number of valid entries.
    private var found = 0

    init(_ source: SourceText) {
        self.source = source
        scanner = JSONScanner(source.bytes)
    }

    /// - Throws: ``ListFormat/Failure`` if nothing can be read, or there is too much.
    mutating func read() throws -> ListDocument {
        do {
            switch scanner.peek() {
            case UInt8(ascii: "["): try items()
            case UInt8(ascii: "{"):
                if try !object() {
                    throw ListFormat.Failure(.notThisFormat, "This JSON object is not a list: it has no “items”.")
                }
            default: throw JSONScanner.Break(line: scanner.line, reason: "Neither an object nor an array begins here.")
            }
            if scanner.peek() != nil {
                builder.fault(
                    line: scanner.line, text: source.bytes.shown(from: scanner.at), "This stands after the end.")
            }
        } catch let error as JSONScanner.Break {
            guard !builder.document.items.isEmpty else {
                throw ListFormat.Failure(.notThisFormat, "From line \(error.line) on this is not JSON: \(error.reason)")
            }
            builder.fault(
                line: error.line, text: source.bytes.shown(from: scanner.at),
                "The JSON breaks off here, and nothing after it was read: \(error.reason)")
        }
        return builder.finished()
    }

    /// Whether the object has items.
    private mutating func object() throws -> Bool {
        var hasItems = false
        try scanner.open("{")
        while try scanner.another(before: "}") {
            let key = try scanner.key()
            let (line, start) = scanner.here
            if key == "items", scanner.peek() == UInt8(ascii: "[") {
                hasItems = true
                try items()
                continue
            }
            let value = try scanner.value()
            // Google Tasks writes its own kinds of objects, such as `tasks#taskLists`.
            if key == "kind", case .text(let text) = value, text.hasPrefix("tasks#") { continue }
            guard ["name", "kind", "theme", "items"].contains(key) else {
                builder.unread(key)
                continue
            }
            switch value {
            case .text(let name) where key == "name":
                builder.take(name: name, line: line, text: source.bytes.shown(from: start))
            case .text(let kind) where key == "kind":
                builder.take(kind, as: \.kind, named: key, line: line, shown: source.bytes.shown(from: start))
            case .text(let theme) where key == "theme":
                builder.take(theme, as: \.theme, named: key, line: line, shown: source.bytes.shown(from: start))
            case .null: break
            default:
                builder.fault(line: line, text: source.bytes.shown(from: start), Self.wrong(key, value))
            }
        }
        return hasItems
    }

    /// The result of reading an entry: an item, or the reason why it is invalid.
    private struct Reading {
        let line: Int
        let start: Int
        var entry = ListDocumentBuilder.Entry()
        var reason: String?
    }

    private mutating func items() throws {
        var readings: [Reading] = []
        // Entries before a syntax error are still used.
        let end = Result { try items(into: &readings, depth: JSONScanner.depth) }
        for reading in readings {
            try builder.take(reading.entry, line: reading.line, text: source.bytes.shown(from: reading.start))
        }
        try end.get()
    }

    /// Adds a valid entry, or a fault. A file can have millions of short entries: only those are kept that can become
    /// items, and only as many as a list can have.
    private mutating func add(_ reading: Reading, to readings: inout [Reading]) throws {
        if let reason = reading.reason ?? reading.entry.fault {
            builder.fault(line: reading.line, text: source.bytes.shown(from: reading.start), reason)
            return
        }
        found += 1
        guard found <= ListFormat.itemLimit else { throw ListFormat.Failure.tooManyItems }
        readings.append(reading)
    }

    /// Reads entries. Nested entries follow their parent, because lists have no levels.
    private mutating func items(into readings: inout [Reading], depth: Int) throws {
        guard depth > 0 else { throw scanner.tooDeep }
        try scanner.open("[")
        while try scanner.another(before: "]") {
            let (line, start) = scanner.here
            var reading = Reading(line: line, start: start)
            if scanner.peek() == UInt8(ascii: "{") {
                var inside: [Reading] = []
                let end = Result { try item(&reading, &inside, depth: depth) }
                if case .success = end { try add(reading, to: &readings) }
                readings += inside
                try end.get()
                continue
            }
            switch try scanner.value() {
            case .text(let text):
                let counted = CountedTitle(text)
                (reading.entry.title, reading.entry.count) = (counted.title, counted.count)
            case .broken: reading.reason = Self.notUnicode
            default: reading.reason = "This is neither an item nor a title."
            }
            try add(reading, to: &readings)
        }
    }

    /// Reads the fields of an item, and records the reason of the first invalid one.
    private mutating func item(_ reading: inout Reading, _ inside: inout [Reading], depth: Int) throws {
        var others: [String: JSONScanner.Value] = [:]
        try scanner.open("{")
        while try scanner.another(before: "}") {
            let key = try scanner.key()
            if key == "items", scanner.peek() == UInt8(ascii: "[") {
                try items(into: &inside, depth: depth - 1)
                continue
            }
            let value = try scanner.value()
            switch (key, value) {
            case (_, .null): break
            case ("title", .text(let text)): reading.entry.title = text
            case ("count", .integer(let count)): reading.entry.count = count
            case ("ticked", .flag(let isTicked)): reading.entry.isTicked = isTicked
            case ("category", .text(let text)): reading.entry.category = text
            case ("comment", .text(let text)): reading.entry.comment = text
            case ("offer", .text(let text)): reading.entry.offer = text
            case ("title", _), ("count", _), ("ticked", _), ("category", _), ("comment", _), ("offer", _):
                reading.reason = reading.reason ?? Self.wrong(key, value)
            default: if Self.otherNames[key] == nil { builder.unread(key) } else { others[key] = value }
            }
        }
        for (key, value) in others.sorted(by: { $0.key < $1.key }) { read(key, value, into: &reading) }
    }

    /// The names of other programs for the keys of an item. Google Tasks, for example, writes `status` and `notes`.
    private static let otherNames = [
        "name": "title", "summary": "title", "content": "title", "task": "title", "subject": "title",
        "quantity": "count", "qty": "count", "amount": "count",
        "done": "ticked", "completed": "ticked", "checked": "ticked", "status": "ticked",
        "section": "category", "heading": "category",
        "note": "comment", "notes": "comment", "description": "comment",
    ]

    /// Reads a key by its name in another program, if the item has nothing of the same meaning yet.
    private mutating func read(_ key: String, _ value: JSONScanner.Value, into reading: inout Reading) {
        switch (Self.otherNames[key], value) {
        case ("title", .text(let text)) where reading.entry.title.isEmpty: reading.entry.title = text
        case ("count", .integer(let count)) where reading.entry.count == 1: reading.entry.count = count
        case ("category", .text(let text)) where reading.entry.category == nil: reading.entry.category = text
        case ("comment", .text(let text)) where reading.entry.comment == nil: reading.entry.comment = text
        case ("ticked", .flag(let isTicked)): reading.entry.isTicked = reading.entry.isTicked || isTicked
        case ("ticked", .text(let word)):
            let (isTicked, reason) = TickWord.read([word])
            reading.entry.isTicked = reading.entry.isTicked || isTicked
            if let reason {
                builder.fault(line: reading.line, text: source.bytes.shown(from: reading.start), reason)
            }
        default: builder.unread(key)
        }
    }

    private static let notUnicode = "The text has bytes that are not UTF-8, or half of a surrogate pair."

    private static func wrong(_ key: String, _ value: JSONScanner.Value) -> String {
        if case .broken = value { return notUnicode }
        let wanted =
            switch key {
            case "count": "a whole number"
            case "ticked": "true or false"
            case "items": "an array"
            default: "a text"
            }
        return "“\(key)” is not \(wanted)."
    }
}
