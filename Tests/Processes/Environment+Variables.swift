import Subprocess

extension Environment {
    /// Exactly these variables.
    static func variables(_ values: [String: String]) -> Environment {
        .custom(values.reduce(into: [:]) { $0[Key(stringLiteral: $1.key)] = $1.value })
    }
}
