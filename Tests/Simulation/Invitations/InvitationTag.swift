import KithModel

/// The mark in an invitation's text by which people recognise it: the number of the invitation, and that of the text.
struct InvitationTag: Hashable {
    let number: Int
    let text: Int

    init(_ number: Int, _ text: Int = 0) { (self.number, self.text) = (number, text) }

    /// The first tag in a text; nil if it has none.
    init?(in text: String?) {
        guard let found = text?.firstMatch(of: /#(\d+)\.(\d+)#/), let number = Int(found.1), let text = Int(found.2)
        else { return nil }
        self.init(number, text)
    }

    /// The text of the invitation, as its author writes it.
    var words: String { "Come! #\(number).\(text)#" }
}
