package import Foundation
import KithModel

/// What a command answers: the same for people, in lines, and for programs, as JSON.
package struct CommandAnswer: Sendable {
    package let shape: Shape
    /// What the program ends with, if nothing else goes wrong.
    package let status: ExitStatus
    private let text: @Sendable (_ colour: Bool) -> [String]
    /// A file's content, which goes out as it is.
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

    /// An answer that is a file's content, with or without `--json`.
    package init(content: Data) {
        shape = [:]
        status = .done
        text = { _ in [] }
        self.content = content
    }

    package func lines(colour: Bool) -> [String] { text(colour) }
}
