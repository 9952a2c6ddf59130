/// The name with which an operator signs in to the operator's pages.
package struct OperatorName: Hashable, Sendable {
    /// 1 to 32 of a-z, 0-9, dots and hyphens. The first is a letter or a digit.
    package let text: String

    /// Reads a name as somebody has typed it; nil if it cannot be one.
    package init?(_ typed: String) {
        let text = typed.lowercased()
        guard text.wholeMatch(of: /[a-z0-9][a-z0-9.-]{0,31}/) != nil else { return nil }
        self.text = text
    }

    /// A name that was stored.
    init(stored text: String) { self.text = text }
}
