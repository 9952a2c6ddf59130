extension String {
    /// The text without ASCII spaces and control characters, such as line ends, around it.
    var trimmedASCII: String {
        guard let first = utf8.first, let last = utf8.last, first <= 0x20 || last <= 0x20 else { return self }
        let start = utf8.firstIndex { $0 > 0x20 } ?? utf8.endIndex
        let end = utf8.lastIndex { $0 > 0x20 }.map { utf8.index(after: $0) } ?? start
        return String(self[start..<end])
    }
}
