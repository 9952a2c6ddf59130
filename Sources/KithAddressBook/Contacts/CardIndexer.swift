import KithCards
import KithModel

/// Computes the derived values of cards one after the other, and reuses its buffers.
struct CardIndexer {
    let reader: PhoneReader
    private var spelling = LatinSpelling()
    private var draft = FoldedText()
    private var seen: Set<Int> = []

    init(reader: PhoneReader) { self.reader = reader }

    mutating func names(of entry: SourceContents.Entry) -> SearchableText {
        draft.removeAll()
        seen.removeAll(keepingCapacity: true)
        entry.forEachName { draft.append(name: $0, &spelling, &seen) }
        return SearchableText(draft)
    }
}
