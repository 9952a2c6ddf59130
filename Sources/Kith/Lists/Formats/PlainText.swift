/// One item per line.
///
/// A bullet (`-`, `*`, `+`, `•`, `–`) and a box (`[ ]`, `[x]`, `☐`, `☑`, `✓` …) at the front are not part of the title,
/// nor is a count in the notation of ``CountedTitle``. Empty lines are ignored.
enum PlainText {
    static func read(_ source: SourceText) throws -> ListDocument {
        var builder = ListDocumentBuilder()
        for line in source.lines {
            guard let text = line.text else {
                builder.unreadable(line)
                continue
            }
            if !text.isBlank { try builder.take(entry(text), line: line.number, text: line.shown) }
        }
        return builder.finished()
    }

    static func write(_ document: ListDocument) -> String {
        document.items.map { line(for: $0) + "\n" }.joined()
    }

    private static func entry(_ line: String) -> ListDocumentBuilder.Entry {
        var rest = line.trimmed.unicodeScalars[...]
        _ = Bullet.take(from: &rest)
        let isTicked = TickBox.take(from: &rest)
        let counted = CountedTitle(String(rest))
        return .init(title: counted.title, count: counted.count, isTicked: isTicked ?? false)
    }

    /// The simplest line that is read back as this item.
    private static func line(for item: ItemDraft) -> String {
        let title = item.title.onOneLine
        let box = item.isTicked ? "[x] " : ""
        let plain = box + CountedTitle.line(title: title, count: item.count)
        let read = entry(plain)
        let isSame = read.title.isExactly(title) && read.count == Int64(item.count) && read.isTicked == item.isTicked
        // At the beginning of a file it would be read as a byte order mark.
        let isMark = title.unicodeScalars.first == "\u{FEFF}"
        return isSame && !isMark ? plain : "\(box)\(item.count) x \(title)"
    }
}
