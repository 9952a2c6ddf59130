import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A web page, as a person's browser gets it.
struct WebPage: Sendable {
    let text: String

    init(_ address: String) async throws {
        guard let url = URL(string: address) else { throw StoryError("\(address) is an address.") }
        var request = URLRequest(url: url)
        // The server counts the visits of browsers, and not those of programs.
        let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
        request.setValue(browser, forHTTPHeaderField: "User-Agent")
        request.setValue("text/html", forHTTPHeaderField: "Accept")
        request.setValue("en", forHTTPHeaderField: "Accept-Language")
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw StoryError("\(address) opens a page.") }
        text = String(decoding: data, as: UTF8.self)
    }

    /// The heading, without its tags.
    var heading: String {
        text.firstMatch(of: /<h1[^>]*>(.*?)<\/h1>/).map { String($0.output.1.replacing(/<[^>]*>/, with: "")) } ?? ""
    }
}
