import KithModel
import TextEncodings

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
        if let reason = reading.reason ?? reading.entry.fault { return fault(reading, reason) }
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
            case .broken: reading.reason = Self.unreadable
            default: reading.reason = "This is neither an item nor a title."
            }
            try add(reading, to: &readings)
        }
    }

    /// Reads the fields of an item, and records the reason of the first invalid one.
    private mutating func item(_ reading: inout Reading, _ inside: inout [Reading], depth: Int) throws {
        var others: [String: Other] = [:]
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
            default:
                let name = FieldNames.plain(key)
                if FieldNames.all.contains(name), others[name] == nil {
                    others[name] = Other(key: key, value: value)
                } else {
                    builder.unread(key)
                }
            }
        }
        if !others.isEmpty { read(others, into: &reading) }
    }

    /// A value under the name that another program has for a field.
    private struct Other {
        let key: String
        let value: JSONScanner.Value
    }

    /// Reads the fields that the item has only under names of other programs. A value that does not fit costs no item.
    private mutating func read(_ others: [String: Other], into reading: inout Reading) {
        var others = others
        func take<Content>(_ names: [String], _ content: (JSONScanner.Value) -> Content?) -> Content? {
            for name in names {
                guard let found = others[name].flatMap({ content($0.value) }) else { continue }
                others[name] = nil
                return found
            }
            return nil
        }
        if reading.entry.title.isEmpty { reading.entry.title = take(FieldNames.title, \.text) ?? "" }
        if reading.entry.count == 1, let count = take(FieldNames.count, \.integer),
            fits(.integer(count), "count", reading)
        {
            reading.entry.count = count
        }
        if reading.entry.category == nil, let text = take(FieldNames.category, \.text),
            fits(.text(text), "category", reading)
        {
            reading.entry.category = text
        }
        if reading.entry.comment == nil, let text = take(FieldNames.comment, \.text),
            fits(.text(text), "comment", reading)
        {
            reading.entry.comment = text
        }
        if !reading.entry.isTicked {
            let texts = (FieldNames.completion + FieldNames.ticked).compactMap { take([$0], \.word) }
            let ticks = TickWord.read(texts)
            reading.entry.isTicked = ticks.isTicked
            if let reason = ticks.reason { fault(reading, reason) }
        }
        for key in others.values.map(\.key).sorted() { builder.unread(key) }
    }

    /// Whether a value fits into a field. If not, there is a fault.
    private mutating func fits(_ value: FieldValue, _ field: String, _ reading: Reading) -> Bool {
        guard let reason = ListItem.schema[field]?.fault(in: value) else { return true }
        fault(reading, "\(reason) The item is kept without it.")
        return false
    }

    private mutating func fault(_ reading: Reading, _ reason: String) {
        builder.fault(line: reading.line, text: source.bytes.shown(from: reading.start), reason)
    }

    private static let unreadable =
        "The text has bytes that are not UTF-8, half of a surrogate pair, or \(StreamSafeText.excess)."

    private static func wrong(_ key: String, _ value: JSONScanner.Value) -> String {
        if case .broken = value { return unreadable }
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
