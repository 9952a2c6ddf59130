/// A statement with its values, as it is sent.
struct PostgresStatement {
    /// The text as its caller wrote it, by which its names are known.
    let sql: String
    /// The text with numbered parameters.
    let text: String
    let parameters: PostgresParameters
    /// Whether it stays prepared.
    let isKept: Bool
    /// Whether PostgreSQL answers it as soon as it has run it, which takes no time. It answers the others together.
    let isPrompt: Bool
    /// The place for the result; nil if nobody reads it.
    let answer: PostgresAnswer?

    /// A statement with numbered parameters.
    init(
        _ sql: String, _ numbered: NumberedStatement, _ parameters: PostgresParameters, isKept: Bool,
        for answer: PostgresAnswer?
    ) {
        self.sql = sql
        text = numbered.text
        self.parameters = parameters
        self.isKept = isKept
        isPrompt = false
        self.answer = answer
    }

    /// A statement without parameters that is not prepared.
    init(_ text: String, isPrompt: Bool = false) {
        sql = text
        self.text = text
        parameters = .none
        isKept = false
        self.isPrompt = isPrompt
        answer = nil
    }

    /// About the number of bytes that are sent.
    var size: Int { text.utf8.count + parameters.size }
}
