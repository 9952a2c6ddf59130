extension Substring {
    /// The text without the characters at its ends that are white space of Unicode, such as spaces and line ends.
    package var trimmingWhitespace: Substring {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...last]
    }
}
