import Foundation
import KithModel

/// The tasks of a calendar file: VTODO, defined in RFC 5545.
///
/// A task is ticked if its STATUS is COMPLETED or CANCELLED. Without a STATUS it is ticked if it has a COMPLETED date
/// or is 100 per cent complete. Only its first category is used. Properties that an item has no field for are put at
/// the end of its comment: see ``TaskNotes``. A task follows its parent (RELATED-TO), because lists have no levels.
/// Tasks with the same parent are sorted by X-APPLE-SORT-ORDER if the file has it, as in Apple Reminders, Tasks.org and
/// Nextcloud Tasks. As in the latter two, a task without it is sorted by its creation time.
enum TaskCalendar {
    static func read(_ source: SourceText) throws -> ListDocument {
        var reader = TaskReader()
        var lines = CalendarLines(source.lines)
        while let line = lines.next() { try reader.read(line) }
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
        // The previous item, its parent, and so on. Only these can be parents without a change of the order.
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
            // If the parent is not among the ancestors, RELATED-TO has its title.
            if let title = notes.parent { lines.add("RELATED-TO", text: ancestors.last?.id ?? title) }
            ancestors.append((TaskNotes.name(item.title), id))
            if let offer = item.offer?.nonempty { lines.add("X-KITH-OFFER", text: offer) }
            lines.add("STATUS", item.isTicked ? "COMPLETED" : "NEEDS-ACTION")
            if item.isTicked {
                // Some programs read only one of these properties. The time of ticking is not known here.
                lines.add("COMPLETED", stamp)
                lines.add("PERCENT-COMPLETE", "100")
            }
            lines.add("X-APPLE-SORT-ORDER", String(index + 1))
            lines.add("END", "VTODO")
        }
        lines.add("END", "VCALENDAR")
        return lines.text
    }

    /// The format `20260301T120000Z`.
    private static func stamp(_ time: Timestamp) -> String {
        time.date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }
}
