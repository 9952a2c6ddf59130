import KithServer
import Testing

@Suite("Numbered parameters") struct NumberedStatementTests {
    @Test(
        "numbers each parameter, and nothing in strings, names and comments",
        arguments: [
            ("SELECT 1", "SELECT 1", 0),
            ("SELECT ?, ?", "SELECT $1, $2", 2),
            ("SELECT '?', ?", "SELECT '?', $1", 1),
            ("SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1", 1),
            ("SELECT '', ?, ''''", "SELECT '', $1, ''''", 1),
            (#"SELECT "a?" FROM b WHERE c = ?"#, #"SELECT "a?" FROM b WHERE c = $1"#, 1),
            ("SELECT ? -- why?\n, ?", "SELECT $1 -- why?\n, $2", 2),
            ("SELECT /* ? */ ?", "SELECT /* ? */ $1", 1),
            ("SELECT /*/ ? */ ?", "SELECT /*/ ? */ $1", 1),
            ("SELECT ? - -1, ? / 2 * 3", "SELECT $1 - -1, $2 / 2 * 3", 2),
            ("SELECT 'ü?', ?", "SELECT 'ü?', $1", 1),
        ])
    func numbers(sql: String, text: String, parameters: Int) {
        let statement = NumberedStatement(sql)
        #expect(statement.text == text && statement.parameters == parameters)
    }

    @Test("numbers many parameters") func many() {
        let statement = NumberedStatement(String(repeating: "?,", count: 16_000))
        #expect(statement.parameters == 16_000 && statement.text.hasSuffix(",$16000,"))
    }
}
