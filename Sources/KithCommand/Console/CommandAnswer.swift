package import Foundation

/// The answer of a command: lines for people, and the same as JSON for programs.
package struct CommandAnswer: Sendable {
    package let shape: Shape
    /// The exit status, unless something else fails.
    package let status: ExitStatus
    private let text: @Sendable (_ colour: Bool) -> [String]
    /// The content of a file, which is written unchanged.
    let content: Data?

    package init(_ shape: Shape, status: ExitStatus = .done, text: @escaping @Sendable (_ colour: Bool) -> [String]) {
        self.shape = shape
        self.status = status
        self.text = text
        content = nil
    }

    package init(_ shape: Shape, status: ExitStatus = .done, _ lines: String...) {
        self.init(shape, status: status) { _ in lines.map(\.printable) }
    }

    /// An answer with the content of a file, with or without `--json`.
    package init(content: Data, status: ExitStatus = .done) {
        shape = [:]
        self.status = status
        text = { _ in [] }
        self.content = content
    }

    package func lines(colour: Bool) -> [String] { text(colour) }
}
