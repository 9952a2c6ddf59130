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
            guard let purpose = headers[name]?.lowercased() else { return false }
            return ["prefetch", "prerender", "preview"].contains { purpose.contains($0) }
        }
    }

    /// Whether the page is loaded into a window (W3C Fetch Metadata). Older browsers do not say what they do.
    private static func isNavigation(_ headers: HTTPFields) -> Bool {
        let (mode, destination) = (headers[.secFetchMode], headers[.secFetchDest])
        return ["navigate", nil].contains(mode) && ["document", nil].contains(destination)
    }

    /// Whether a user agent is that of a browser. It is read as bytes, because every visit of a page is judged.
    private static func isBrowser(_ agent: String) -> Bool {
        var agent = Array(agent.utf8.prefix(1_000))
        for index in agent.indices where capitals.contains(agent[index]) { agent[index] |= 0x20 }
        // All browsers begin like this; programs with a name of their own, such as curl and WhatsApp, do not.
        guard beginnings.contains(where: { agent.starts(with: $0) }) else { return false }
        return !agent.indices.contains { index in
            guard let marks = marksByFirst[agent[index]] else { return false }
            return marks.contains { isMark($0, at: index, of: agent) }
        }
    }

    private static func isMark(_ mark: [UInt8], at index: Int, of agent: [UInt8]) -> Bool {
        guard agent[index...].starts(with: mark) else { return false }
        // Internet Explorer is compatible, too.
        if mark == compatible { return !agent[(index + mark.count)...].starts(with: explorer) }
        // Cubot makes telephones.
        return !(mark == bot && index >= cu.count && agent[(index - cu.count)..<index].elementsEqual(cu))
    }

    private static let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    private static let beginnings = ["mozilla/", "opera/"].map { Array($0.utf8) }
    private static let bot = Array("bot".utf8)
    private static let cu = Array("cu".utf8)
    private static let compatible = Array("(compatible;".utf8)
    private static let explorer = Array(" msie".utf8)
    private static let marksByFirst = Dictionary(grouping: marks) { $0[0] }

    /// What programs that look like browsers say of themselves. Bots name an address where one can read about them.
    private static let marks = [
        "(compatible;", "+http", "bot", "crawl", "embedly", "externalhit", "google-", "headless", "lighthouse",
        "ms-office", "phantom", "preview", "slurp", "spider", "zgrab",
    ].map { Array($0.utf8) }

    private static let ahead = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].compactMap { HTTPField.Name($0) }
}

extension HTTPField.Name {
    // The name is constant and valid.
    fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    // The name is constant and valid.
    fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
}
