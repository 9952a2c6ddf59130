import Foundation
import KithServer
import Testing

@Suite("The stylesheet of the web pages") struct StylesheetTests {
    private static let css = String(decoding: PageFile.style.bytes, as: UTF8.self)

    /// The appearance of the browser.
    enum Scheme: String, CaseIterable, Sendable { case light, dark }

    /// A colour before another one, and the least contrast between them (WCAG 2.2, 1.4.3 and 1.4.11).
    struct Pair: Hashable, Sendable, CustomStringConvertible {
        let front, back: String
        let least: Double

        var description: String { "\(front) on \(back)" }
    }

    /// Every pair that occurs in pages. Text needs 4.5, and borders, marks and lines of plots need 3.
    static let pairs: [Pair] = {
        let grounds = ["ground", "surface", "sunken"]
        func pairs(_ fronts: [String], on backs: [String], _ least: Double) -> [Pair] {
            fronts.flatMap { front in backs.map { Pair(front: front, back: $0, least: least) } }
        }
        let soft = ["error", "success", "warning"].flatMap { name in
            pairs([name, "text", "faint"], on: ["\(name)-soft"], 4.5)
        }
        return pairs(["text", "faint", "accent", "accent-strong", "error", "success", "danger"], on: grounds, 4.5)
            + pairs(["accent", "text"], on: ["accent-soft"], 4.5) + pairs(["danger"], on: ["error-soft"], 4.5)
            + pairs(["on-accent"], on: ["accent", "accent-strong"], 4.5)
            + pairs(["on-danger"], on: ["danger", "danger-strong"], 4.5) + soft
            + pairs(["edge"], on: grounds, 3) + pairs(["warning"], on: ["surface", "ground"], 3)
            // The names of the lines in the legend have the colours of the lines.
            + pairs(["shared", "visited", "joined", "rewarded"], on: ["surface", "ground"], 4.5)
            // The mark in a ticked box.
            + pairs(["surface"], on: ["success"], 3)
    }()

    /// The colours of a scheme by their names, as `#rrggbb`.
    private static func colours(_ scheme: Scheme) throws -> [String: String] {
        let parts = css.split(separator: "@media (prefers-color-scheme: dark)", maxSplits: 1)
        try #require(parts.count == 2)
        let dark = parts[1].prefix(upTo: try #require(parts[1].firstRange(of: "\n}")).lowerBound)
        var colours: [String: String] = [:]
        for text in scheme == .light ? [parts[0]] : [parts[0], dark] {
            for match in text.matches(of: /--([a-z-]+): (#[0-9a-f]{6});/) {
                colours[String(match.output.1)] = String(match.output.2)
            }
        }
        return colours
    }

    /// The relative luminance of a colour (WCAG 2.2).
    private static func luminance(_ colour: String) throws -> Double {
        let number = try #require(Int(colour.dropFirst(), radix: 16))
        let parts = [number >> 16, number >> 8, number].map { part in
            let value = Double(part & 0xFF) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    @Test("Every pair of colours has the contrast that people need, light and dark", arguments: Scheme.allCases)
    func contrast(scheme: Scheme) throws {
        let colours = try Self.colours(scheme)
        for pair in Self.pairs {
            let front = try Self.luminance(try #require(colours[pair.front]))
            let back = try Self.luminance(try #require(colours[pair.back]))
            let ratio = (max(front, back) + 0.05) / (min(front, back) + 0.05)
            #expect(ratio >= pair.least, "\(pair) has \(ratio) in \(scheme.rawValue)")
        }
    }

    @Test("Both schemes have every colour, and every colour but that of thin lines is measured")
    func complete() throws {
        let parts = Self.css.split(separator: "@media (prefers-color-scheme: dark)", maxSplits: 1)
        func names(_ text: Substring) -> Set<String> {
            Set(text.matches(of: /--([a-z-]+): #[0-9a-f]{6};/).map { String($0.output.1) })
        }
        let light = names(try #require(parts.first))
        let dark = try #require(parts.last)
        #expect(light == names(dark.prefix(upTo: try #require(dark.firstRange(of: "\n}")).lowerBound)))
        #expect(light.subtracting(Self.pairs.flatMap { [$0.front, $0.back] }) == ["line"])
    }

    @Test("A rule names its colours by the tokens, and its sides by the direction of the text") func tokens() throws {
        let rules = try #require(Self.css.split(separator: "/* Page */", maxSplits: 1).last)
        let literal = Set(rules.matches(of: /#[0-9a-f]{3,8}\b/).map { String($0.output) })
        // QR codes and paper are black on white.
        #expect(literal == ["#000000", "#ffffff", "#444444"])
        #expect(!rules.contains(/(?:margin|padding|border)-(?:left|right|top|bottom)\b/))
        #expect(!rules.contains(/text-align: (?:left|right)/))
        for name in rules.matches(of: /var\((--[a-z-]+)\)/).map(\.output.1) {
            #expect(Self.css.contains("\(name): "), "\(name)")
        }
    }

    @Test("It serves people who want contrast, no motion, their own colours, or paper") func media() {
        for query in [
            "(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(prefers-reduced-motion: no-preference)",
            "(forced-colors: active)", "print",
        ] { #expect(Self.css.contains("@media \(query)")) }
        let motion = Self.css.firstRange(of: "@media (prefers-reduced-motion: no-preference)")
        #expect(motion.map { Self.css[..<$0.lowerBound].contains(/transition|animation/) } == false)
    }

    @Test("What moves by itself ends within five seconds; only a button that was pressed turns until the answer")
    func motion() throws {
        let endless = Self.css.matches(of: /([^\n;{}]*) \{ animation: [^;]*infinite/).map { String($0.output.1) }
        #expect(endless.map { $0.trimmingCharacters(in: .whitespaces) } == ["button[aria-busy=\"true\"]::after"])
        let rule = /\.live::before \{ animation: breathe ([0-9.]+)s [a-z-]+ (\d+);/
        let live = try #require(Self.css.firstMatch(of: rule))
        let (seconds, times) = (try #require(Double(live.output.1)), try #require(Double(live.output.2)))
        #expect(seconds * times < 5)
    }

    @Test("Every class that a template names is in the stylesheet or in a script") func classes() {
        let scripts = [PageFile.copy.bytes, PasskeyPage.script].map { String(decoding: $0, as: UTF8.self) }.joined()
        for (name, bytes) in PageRenderer.templates {
            let text = String(decoding: bytes, as: UTF8.self).replacing(/\{\{[#^\/$][^}]*\}\}/, with: "")
            for list in text.matches(of: /class="([^"{]*)"/).map(\.output.1) {
                for word in list.split(separator: " ") where word != "narrow" {
                    #expect(Self.css.contains(".\(word)") || scripts.contains(".\(word)"), "\(name): \(word)")
                }
            }
        }
    }
}
