/// What was measured is not what should be measured, such as a wrong number of rows.
struct Mismatch: Error, CustomStringConvertible {
    let description: String

    /// Throws unless a condition is met, so that the row has failed and other rows still run.
    static func unless(_ isRight: Bool, _ sentence: String) throws {
        if !isRight { throw Mismatch(description: sentence) }
    }
}
