import Foundation
import KithServer
import Testing

@Suite("The settings in Operations.md") struct DocumentedSettingsTests {
    private let page: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        page = try String(contentsOf: root.appending(path: "Documentation/Operations.md"), encoding: .utf8)
    }

    /// What a setting means, and the default in parentheses at the end of its description.
    private static func parts(of setting: ServerConfiguration.Setting) throws -> (meaning: String, standard: String) {
        let match = try #require(setting.meaning.wholeMatch(of: /(.+) \(([^()]+)\)\./), "\(setting.name)")
        return (String(match.1), String(match.2))
    }

    /// The rows of the tables with this first line, without the line below it.
    private func rows(_ head: String) -> [[String]] {
        var rows: [[String]] = []
        var isInTable = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            isInTable = line == head || (isInTable && line.hasPrefix("|"))
            guard isInTable, line != head, !line.hasPrefix("| ---") else { continue }
            rows.append(line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) })
        }
        return rows
    }

    /// The names of settings in a cell.
    private static func names(in cell: String) -> [String] {
        cell.matches(of: /`([a-z-]+)`/).map { String($0.1) }
    }

    @Test("The list has a line for each, with its flag, its variable, its default and its meaning, and no other")
    func list() throws {
        let wanted = try ServerConfiguration.settings.map { setting in
            let (meaning, standard) = try Self.parts(of: setting)
            return ["`--\(setting.name)`", "`\(setting.variable)`", standard, meaning]
        }
        let lines = wanted.map { "| \($0.joined(separator: " | ")) |" }
        #expect(rows("| flag | variable | default | meaning |") == wanted, "Write:\n\(lines.joined(separator: "\n"))")
    }

    @Test("Whatever is named as a setting is one, and a default beside it is the same") func tables() throws {
        let settings = Dictionary(uniqueKeysWithValues: ServerConfiguration.settings.map { ($0.name, $0) })
        var defaults = 0
        let explained = rows("| setting | meaning |")
        for row in explained {
            let names = Self.names(in: row[0])
            #expect(!names.isEmpty && names.allSatisfy { settings[$0] != nil }, "\(row[0])")
            let told = row[1].firstMatch(of: /\(`?(on|off|none|[0-9][0-9,]*)`?\)/)
            guard names.count == 1, let setting = settings[names[0]], let told else { continue }
            defaults += 1
            #expect(try String(told.1).replacing(",", with: "") == Self.parts(of: setting).standard, "\(setting.name)")
        }
        #expect(explained.count > 20 && defaults > 5)
        let limits = rows("| what is limited | settings |").flatMap { Self.names(in: $0[1]) }
        #expect(limits.count > 15 && limits.allSatisfy { settings[$0] != nil })
        let variables = Set(page.matches(of: /KITH_SERVE_[A-Z_]+/).map { String($0.0) })
        let known = Set(ServerConfiguration.settings.map(\.variable)).union(["KITH_SERVE_CONFIG"])
        #expect(variables.subtracting(known).isEmpty)
    }

    @Test("The default in the description of a setting is the program's") func defaults() throws {
        func text(_ configuration: ServerConfiguration) -> String {
            var text = ""
            dump(configuration, to: &text)
            return text
        }
        let standard = text(ServerConfiguration())
        var compared = 0
        for setting in ServerConfiguration.settings {
            let value = try Self.parts(of: setting).standard
            // Some defaults are described in words, and “none” cannot be set.
            guard !value.contains(" "), value != "none" else { continue }
            compared += 1
            let set = try ServerConfiguration(flags: [setting.name: value])
            #expect(text(set) == standard, "\(setting.name)")
        }
        #expect(compared > 30)
        let other = try ServerConfiguration(flags: ["port": "8481"])
        #expect(text(other) != standard)
    }
}
