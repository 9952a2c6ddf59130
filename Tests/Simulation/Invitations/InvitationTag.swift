import KithModel

/// The mark in an invitation's text by which people recognise it: the number of the invitation, and that of the text.
struct InvitationTag: Hashable {
    let number: Int
    let text: Int

    init(_ number: Int, _ text: Int = 0) { (self.number, self.text) = (number, text) }

    /// The first tag in a text; nil if it has none. It is looked for often, and a regular expression would take far longer.
    init?(in text: String?) {
        let parts = text?.split(separator: "#", omittingEmptySubsequences: false).dropFirst().dropLast() ?? []
        for part in parts {
            let numbers = part.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            if numbers.count == 2, let number = numbers[0], let text = numbers[1] {
                self.init(number, text)
                return
            }
        }
        return nil
    }

    /// The text of the invitation, as its author writes it.
    var words: String { "Come! #\(number).\(text)#" }
}
