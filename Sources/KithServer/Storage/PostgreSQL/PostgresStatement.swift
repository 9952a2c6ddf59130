/// A statement with its values, as it is sent.
struct PostgresStatement {
    /// The text with numbered parameters.
    let text: String
    let parameters: PostgresParameters
    /// Where its name is kept if it stays prepared; nil if it does not.
    private let known: KnownStatement?
    /// Whether PostgreSQL answers it as soon as it has run it, which takes no time. It answers the others together.
    let isPrompt: Bool
    /// The place for the result; nil if nobody reads it.
    let answer: PostgresAnswer?

    /// A statement with numbered parameters.
    init(_ known: KnownStatement, _ parameters: PostgresParameters, isKept: Bool, for answer: PostgresAnswer?) {
        text = known.numbered.text
        self.parameters = parameters
        self.known = isKept ? known : nil
        isPrompt = false
        self.answer = answer
    }

    /// A statement without parameters that is not prepared.
    init(_ text: String, isPrompt: Bool = false) {
        self.text = text
        parameters = .none
        known = nil
        self.isPrompt = isPrompt
        answer = nil
    }

    /// Whether it stays prepared.
    var isKept: Bool { known != nil }

    /// The name under which it is prepared for the types of its parameters; nil if it is not.
    var name: String? {
        get { known?.names[parameters.types] }
        nonmutating set { known?.names[parameters.types] = newValue }
    }

    /// About the number of bytes that are sent.
    var size: Int { text.utf8.count + parameters.size }
}
