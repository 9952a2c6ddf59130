import Foundation
import KithModel

/// The tasks of a calendar file: VTODO, as RFC 5545 has it.
///
/// A task is ticked if its STATUS is COMPLETED or CANCELLED, or, where it has
/// none, if it has a COMPLETED date or is 100 per cent complete. Its first
/// category counts. What an item has no field for stands at the end of its
/// comment: see ``TaskNotes``. A task follows its parent (RELATED-TO), since lists here
/// have no levels; among their like they go by X-APPLE-SORT-ORDER where the
/// file has it, as Apple Reminders, Tasks.org and Nextcloud Tasks do. One
/// without it then goes by when it was created, as in the latter two.
enum TaskCalendar {
    static func read(_ source: SourceText) throws -> ListDocument {
        var reader = TaskReader()
        var lines = CalendarLines(source.lines)
        while let line = lines.next() { reader.read(line) }
        return try reader.finished()
    }

    static func write(
        _ document: ListDocument, at time: Timestamp, using random: inout some RandomNumberGenerator
    ) -> String {
        let stamp = Self.stamp(time)
        var lines = FoldedLines()
        lines.add("BEGIN", "VCALENDAR")
        lines.add("VERSION", "2.0")
        lines.add("PRODID", "-//Kith//Kith//EN")
        if let name = document.name?.nonempty { lines.add("X-WR-CALNAME", text: name) }
        // The item before, what that is a part of, and so on: only these can be parents without another order.
        var ancestors: [(title: String, id: String)] = []
        for (index, item) in document.items.enumerated() {
            let (comment, notes) = TaskNotes.split(item.comment)
            let id = UUID.version7(time: time, using: &random).uuidString
            let parent = ancestors.lastIndex { $0.title == notes.parent }
            ancestors.removeSubrange((parent.map { $0 + 1 } ?? 0)...)
            lines.add("BEGIN", "VTODO")
            lines.add("UID", id)
            lines.add("DTSTAMP", stamp)
            lines.add("SUMMARY", text: CountedTitle.line(title: item.title.trimmed, count: item.count))
            if let category = item.category?.nonempty { lines.add("CATEGORIES", text: category) }
            if let comment { lines.add("DESCRIPTION", text: comment) }
            if let (name, value) = notes.due.flatMap(TaskNotes.property) { lines.add(name, value) }
            if let priority = notes.priority { lines.add("PRIORITY", String(priority)) }
            // A parent that is not above the task is named by its title.
            if let title = notes.parent { lines.add("RELATED-TO", text: ancestors.last?.id ?? title) }
            ancestors.append((TaskNotes.name(item.title), id))
            if let offer = item.offer?.nonempty { lines.add("X-KITH-OFFER", text: offer) }
            lines.add("STATUS", item.isTicked ? "COMPLETED" : "NEEDS-ACTION")
            if item.isTicked {
                // Some programs go by one of these alone. When it was ticked is not known here.
                lines.add("COMPLETED", stamp)
                lines.add("PERCENT-COMPLETE", "100")
            }
            lines.add("X-APPLE-SORT-ORDER", String(index + 1))
            lines.add("END", "VTODO")
        }
        lines.add("END", "VCALENDAR")
        return lines.text
    }

    /// `20260301T120000Z`
    private static func stamp(_ time: Timestamp) -> String {
        time.date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }
}
