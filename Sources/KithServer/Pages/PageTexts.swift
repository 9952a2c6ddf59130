import Foundation

/// The texts of the web pages in one language.
package struct PageTexts: Sendable {
    /// The texts by section and name, as the templates use them: `{{t.code.heading}}`.
    package let sections: [String: [String: String]]

    private init(_ bytes: [UInt8]) throws {
        sections = try JSONDecoder().decode([String: [String: String]].self, from: Data(bytes))
    }

    /// The texts of a language.
    package static func of(_ language: PageLanguage) -> PageTexts {
        // `all` has every language; a test checks it.
        all[language]!
    }

    /// The text of a key such as `code.heading`, with values instead of the names in braces.
    package func text(_ key: String, _ values: [String: String] = [:]) -> String {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let text = sections[parts[0]]?[parts[1]] else { return key }
        return values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    private static let all: [PageLanguage: PageTexts] = [
        .english: read(PackageResources.page_en_json), .german: read(PackageResources.page_de_json),
        .french: read(PackageResources.page_fr_json), .spanish: read(PackageResources.page_es_json),
    ]

    private static func read(_ bytes: [UInt8]) -> PageTexts {
        // The files are part of the program; a test reads them.
        try! PageTexts(bytes)
    }
}
