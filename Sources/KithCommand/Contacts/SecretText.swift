import Foundation

/// A password, from any place except the command line, which other users of the machine can read.
struct SecretText: Sendable {
    /// The variable of the environment that may hold it.
    static let variable = "KITH_PASSWORD"

    /// The file with the password in its first line, if one was named; `-` is standard input.
    let file: String?

    /// The password of `user`: from the file, else from the environment, else from a prompt on the terminal.
    func read(
        for user: String, _ console: Console, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String {
        if let file { return try firstLine(of: file) }
        if let set = environment[Self.variable], !set.isEmpty { return set }
        if let typed = console.secret("Password of \(user.printable): "), !typed.isEmpty { return typed }
        throw Failure(
            .usage, "password",
            "The password is missing. Name a file that has it: --password-file, or set \(Self.variable).")
    }

    private func firstLine(of file: String) throws -> String {
        let data = try NamedFile(file).read(upTo: 4_096)
        guard let line = String(data: data, encoding: .utf8)?.split(whereSeparator: \.isNewline).first else {
            throw Failure(.failed, "password", "“\(file)” has no password in its first line.")
        }
        return String(line)
    }
}
