import KithModel
import Mustache

/// The texts of one kind of message in one language, with places for values.
///
/// A file has four sections, each after a line with its name: `=== subject`, `=== text`, `=== html` and `=== sms`. The
/// text between them is Mustache. In `html`, values are always escaped.
package struct MessageTemplate: Sendable {
    /// A part of the file.
    package enum Section: String, CaseIterable, Sendable {
        case subject, text, html, sms
    }

    /// The whole file.
    package let source: String
    private let sections: [Section: MustacheTemplate]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - source: The content of the file.
    ///   - kind: The kind of message, which says which values there are.
    ///   - name: The name of the file, for errors.
    /// - Throws: ``ServerError`` with the code `malformed` if a section is missing, is not Mustache, or uses a value that
    ///   this kind of message does not have.
    package init(_ source: String, kind: MessageKind, name: String) throws(ServerError) {
        var texts: [Section: String] = [:]
        var current: Section?
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("=== ") {
                let title = line.dropFirst(4)
                guard let section = Section(rawValue: String(title)), texts[section] == nil else {
                    throw Self.error(name, "has the line “=== \(title.prefix(40))”. Each of \(Self.names) comes once")
                }
                current = section
                texts[section] = ""
            } else if let current {
                texts[current, default: ""] += line + "\n"
            }
        }
        var sections: [Section: MustacheTemplate] = [:]
        for section in Section.allCases {
            guard let text = texts[section] else { throw Self.error(name, "lacks “=== \(section.rawValue)”. Add it") }
            try Self.check(text, section, kind, name)
            let pragma = section == .html ? EscapedHTML.pragma : "{{% CONTENT_TYPE:TEXT}}"
            do {
                sections[section] = try MustacheTemplate(string: pragma + Self.withOneLineEnd(text))
            } catch {
                throw Self.error(name, "is not Mustache in “=== \(section.rawValue)”: \(error). Correct it")
            }
        }
        self.source = source
        self.sections = sections
    }

    /// The text of a section with these values.
    func render(_ section: Section, _ values: [String: String]) -> String {
        sections[section]?.render(values) ?? ""
    }

    private static let names = Section.allCases.map { "“=== \($0.rawValue)”" }.joined(separator: ", ")

    /// The text of a section without the empty lines around it, and with one line end.
    private static func withOneLineEnd(_ text: String) -> String {
        String(text.drop { $0 == "\n" }.reversed().drop { $0 == "\n" }.reversed()) + "\n"
    }

    /// Refuses unknown values, and tags that would put a value into HTML without escapes.
    private static func check(
        _ text: String, _ section: Section, _ kind: MessageKind, _ name: String
    ) throws(ServerError) {
        let known = kind.values.union(["service", "unsubscribe"])
        for tag in text.matches(of: /\{\{([#^\/]?)\s*([^}]*?)\s*\}\}/) {
            let value = String(tag.output.2)
            guard known.contains(value) else {
                throw Self.error(
                    name,
                    "uses {{\(value.prefix(40))}}. Use one of \(known.sorted().joined(separator: ", ")), as {{name}}, "
                        + "{{#name}}…{{/name}} or {{^name}}…{{/name}}")
            }
        }
        if text.contains("{{{") { throw Self.error(name, "uses {{{…}}}. Write {{…}}, which escapes the value") }
    }

    private static func error(_ name: String, _ sentence: String) -> ServerError {
        ServerError(.malformed, "The template \(name) \(sentence).")
    }
}
