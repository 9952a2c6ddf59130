import Foundation
import KithModel
import KithServer
import Testing

/// A browser: it keeps the cookies that the server sets, and sends them back.
struct TestBrowser: Sendable {
    let world: BrowserWorld
    private(set) var cookies: [String: String] = [:]
    /// What it sends besides the headers of every browser.
    var headers = ["User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"]

    init(_ world: BrowserWorld) { self.world = world }

    /// The token in the cookie.
    var token: String? { cookies["kith"] ?? cookies["__Host-kith"] }

    private var all: [String: String] {
        var all = PageServer.browser.merging(headers) { $1 }
        if !cookies.isEmpty {
            all["Cookie"] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        return all
    }

    /// Opens an address. Redirects are not followed.
    mutating func open(_ path: String) async throws -> PageReply {
        let reply = PageReply(try await world.server.ask("GET", path, headers: all))
        return keep(reply)
    }

    /// Sends a form. Redirects are not followed.
    mutating func send(
        _ path: String, _ fields: [(String, String)], _ more: [String: String] = [:]
    ) async throws -> PageReply {
        let reply = PageReply(try await world.server.submit(fields, to: path, headers: all.merging(more) { $1 }))
        return keep(reply)
    }

    private mutating func keep(_ reply: PageReply) -> PageReply {
        guard let field = reply.head["set-cookie"] else { return reply }
        let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        cookies[String(pair[0])] = field.contains("Max-Age=0") ? nil : pair.last.map(String.init)
        return reply
    }

    /// Signs in with an email, from the page to the last form.
    ///
    /// - Parameters:
    ///   - email: The email.
    ///   - count: The number of codes that were sent to it, with this one.
    ///   - share: The share code with which the page is opened.
    /// - Returns: The answer to the last form.
    /// - Throws: An error if a page is not as expected.
    @discardableResult mutating func signIn(
        _ email: String, code count: Int = 1, share: String? = nil
    ) async throws -> PageReply {
        let page = try await open("/sign-in" + (share.map { "?share=\($0)" } ?? ""))
        try #require(page.status == 200, "\(page.text)")
        // A person needs some time to type.
        world.server.clock.advance(.seconds(30))
        let shared = share.map { [("share", $0), ("opened", page.value("opened"))] } ?? []
        let sent = try await send("/sign-in", [("ticket", page.ticket), ("email", email)] + shared)
        try #require(sent.status == 200, "\(sent.text)")
        let fields = [("ticket", sent.ticket), ("email", email), ("code", try await world.code(to: email, count))]
        return try await send("/sign-in", fields + shared)
    }

    /// Does what a form of the account's page does.
    mutating func act(_ action: String, _ fields: [(String, String)] = []) async throws -> PageReply {
        let page = try await open("/account")
        return try await send("/account", [("do", action), ("proof", page.proof(action))] + fields)
    }

    /// Does what a form of the account's page does after a question, and answers the question with yes.
    mutating func confirm(_ action: String, _ fields: [(String, String)] = []) async throws -> PageReply {
        let asked = try await act(action, fields)
        try #require(asked.status == 200, "\(asked.text)")
        let proof = ("proof", asked.proof(action))
        return try await send("/account", [("do", action), proof, ("sure", asked.value("sure"))] + fields)
    }

    /// Opens the page to which an answer leads.
    mutating func follow(_ reply: PageReply) async throws -> PageReply {
        try #require(reply.status == 303, "\(reply.text)")
        return try await open(try #require(reply.head["location"]))
    }
}

extension PageReply {
    /// The value of the first hidden field with this name.
    func value(_ name: String) -> String {
        let rest = text.components(separatedBy: "name=\"\(name)\" value=\"").dropFirst().first
        return rest.map { String($0.prefix { $0 != "\"" }) } ?? ""
    }

    /// The proof of the first form that does something.
    func proof(_ action: String) -> String {
        let rest = text.components(separatedBy: "name=\"do\" value=\"\(action)\"").dropFirst().first ?? ""
        let value = rest.components(separatedBy: "name=\"proof\" value=\"").dropFirst().first
        return value.map { String($0.prefix { $0 != "\"" }) } ?? ""
    }
}
