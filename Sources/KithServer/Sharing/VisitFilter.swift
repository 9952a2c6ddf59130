package import HTTPTypes

/// Decides which requests for the page of a link are visits: navigations of people, and not the prefetches of browsers,
/// link previews and bots.
package enum VisitFilter {
    /// Whether a request is a visit.
    ///
    /// - Parameters:
    ///   - method: The method. Only `GET` shows the page to somebody.
    ///   - headers: The headers.
    /// - Returns: Whether it is one.
    package static func isVisit(_ method: HTTPRequest.Method, _ headers: HTTPFields) -> Bool {
        method == .get && !isAhead(headers) && isNavigation(headers) && isBrowser(headers[.userAgent] ?? "")
    }

    /// Whether the browser loads the page before somebody wants to see it: the header fields of the W3C's Resource Hints
    /// and Fetch standards, and those of older browsers.
    private static func isAhead(_ headers: HTTPFields) -> Bool {
        ahead.contains { name in
            let purpose = headers[name]?.lowercased() ?? ""
            return ["prefetch", "prerender", "preview"].contains { purpose.contains($0) }
        }
    }

    /// Whether the page is loaded into a window (W3C Fetch Metadata). Older browsers do not say what they do.
    private static func isNavigation(_ headers: HTTPFields) -> Bool {
        let (mode, destination) = (headers[.secFetchMode], headers[.secFetchDest])
        return ["navigate", nil].contains(mode) && ["document", nil].contains(destination)
    }

    /// Whether a user agent is that of a browser.
    private static func isBrowser(_ agent: String) -> Bool {
        // Cubot makes telephones.
        let agent = agent.prefix(1_000).lowercased().replacing("cubot", with: "")
        // All browsers begin like this; programs with a name of their own, such as curl and WhatsApp, do not.
        guard ["mozilla/", "opera/"].contains(where: { agent.hasPrefix($0) }) else { return false }
        return !marks.contains { agent.contains($0) }
    }

    /// What programs that look like browsers say of themselves. Bots name an address where one can read about them.
    private static let marks = [
        "+http", "bot", "crawl", "embedly", "externalhit", "google-", "headless", "lighthouse", "ms-office", "phantom",
        "preview", "slurp", "spider",
    ]

    private static let ahead = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].compactMap { HTTPField.Name($0) }
}

extension HTTPField.Name {
    // The name is constant and valid.
    fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    // The name is constant and valid.
    fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
}
