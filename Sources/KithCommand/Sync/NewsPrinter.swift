import Kith
import KithModel

/// Turns news into lines for people. It remembers what it has reported about each list. So it can name the list of an
/// item, and does not repeat unchanged values: a list counts as modified with each of its items.
package struct NewsPrinter: Sendable {
    private var lists: [ListID: String] = [:]
    private var printed: [RecordID<Never>: [String?]] = [:]
    /// The reported values of people, by their lists.
    private var people: [ListID: [RecordID<Never>: [String?]]] = [:]
    /// Lists that have just appeared. Their members are not reported as joining.
    private var appeared: Set<ListID> = []

    package init() {}

    package mutating func lines(_ news: News) -> [String] {
        let from = News.words(ofOrigin: news.origin)
        if news.collection == .lists { appeared = Set(news.added.compactMap(\.listID)) }
        // Earlier matches are not reported.
        if news.collection == News.matches && news.origin == ChangeOrigin.state.rawValue { return [] }
        if news.collection == .members { return memberLines(news).map { $0.printable + from } }
        return (lines("+", news.added, news) + lines("~", news.modified, news) + lines("-", news.removed, news))
            .map { $0.printable + from }
    }

    /// The people who join or leave a list, or whose role or name changes. Existing members are not reported.
    private mutating func memberLines(_ news: News) -> [String] {
        var lines: [String] = []
        func add(_ mark: String, _ subject: News.Subject, _ words: String) {
            lines.append("\(mark) \(words)" + (subject.listID.flatMap { self.lists[$0] }.map { "  in \($0)" } ?? ""))
        }
        for subject in news.added + news.modified {
            guard let list = subject.listID, let shown = subject.shown else { continue }
            let before = people[list, default: [:]].updateValue(shown, forKey: subject.id)
            let role = subject.role?.rawValue ?? ""
            if news.origin == ChangeOrigin.state.rawValue || before == shown { continue }
            if before == nil {
                if !subject.isMe && !appeared.contains(list) { add("+", subject, "\(subject.words) joined as \(role)") }
            } else {
                add("~", subject, subject.isMe ? "you are \(role) now" : "\(subject.words) is \(role) now")
            }
        }
        for subject in news.removed {
            guard let list = subject.listID else { continue }
            people[list]?[subject.id] = nil
            if !subject.isMe { add("-", subject, "\(subject.words) is no longer there") }
        }
        appeared.subtract((news.added + news.modified).compactMap(\.listID))
        return lines
    }

    private mutating func lines(_ mark: String, _ subjects: [News.Subject], _ news: News) -> [String] {
        subjects.compactMap { subject in
            if let shown = subject.shown {
                let isKnown = printed.updateValue(shown, forKey: subject.id) == shown
                if mark == "~" && isKnown { return nil }
            }
            guard let list = subject.listID else { return "\(mark) \(subject.words)" }
            guard news.collection == .lists else {
                return "\(mark) \(subject.words)" + (lists[list].map { "  in \($0)" } ?? "")
            }
            lists[list] = subject.words
            return "\(mark) list \(subject.words)"
        }
    }
}
