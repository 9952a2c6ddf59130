/// The name of a browser in the list of an account's sessions: “Browser (Firefox, Linux)”.
///
/// Browsers pretend to be each other in their field `User-Agent`, so the first name that only one of them has decides.
package struct BrowserName: Hashable, Sendable {
    /// The browser; nil if it is not known.
    package let browser: String?
    /// The system on which it runs; nil if it is not known.
    package let system: String?

    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("Chrome/", "Chrome"), ("CriOS/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Macintosh", "Mac"), ("Linux", "Linux"),
    ]

    /// Reads the field.
    package init(userAgent: String?) {
        let text = (userAgent ?? "").prefix(500)
        browser = Self.browsers.first { text.contains($0.0) }?.1
        system = Self.systems.first { text.contains($0.0) }?.1
    }

    /// The name in a language.
    package func text(in language: PageLanguage) -> String {
        let word = PageTexts.of(language).text("device.browser")
        let details = [browser, system].compactMap(\.self)
        return details.isEmpty ? word : "\(word) (\(details.joined(separator: ", ")))"
    }
}
