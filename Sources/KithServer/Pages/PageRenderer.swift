package import Foundation
import Mustache

/// Renders web pages: plain HTML in one layout, with the stylesheet and the icons of this server. Most pages have no script.
package struct PageRenderer: Sendable {
    private let library: MustacheLibrary
    private let service: String

    /// A renderer for the pages of a service with this name.
    package init(service: String) throws {
        self.service = service
        var library = MustacheLibrary()
        for (name, bytes) in Self.templates {
            try library.register(EscapedHTML.pragma + String(decoding: bytes, as: UTF8.self), named: name)
        }
        self.library = library
    }

    /// The page in UTF-8.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - language: Its language.
    ///   - root: The path of the server's public address, without a slash at its end: often empty.
    /// - Returns: The page.
    package func render(_ page: Page, in language: PageLanguage, root: String = "") -> Data {
        var values: [String: any Sendable] = page.values.mapValues { $0.resolved(language) }
        values["t"] = PageTexts.of(language).sections
        values["language"] = language.rawValue
        values["service"] = service
        values["title"] = page.title.resolved(language)
        values["hasError"] = page.hasError
        values["root"] = root
        values["stylesheet"] = PageFile.style.address(root: root)
        values["icons"] = PageFile.icons.address(root: root)
        values["icon"] = PageFile.icon.address(root: root)
        values["scripts"] = page.scripts.map { ["address": $0.address(root: root)] }
        return Data((library.render(values, withTemplate: page.template.rawValue) ?? "").utf8)
    }

    /// The sources of the templates by their names.
    package static let templates: [(name: String, bytes: [UInt8])] = [
        ("layout", PackageResources.layout_mustache), ("invitation", PackageResources.invitation_mustache),
        ("signin", PackageResources.signin_mustache), ("account", PackageResources.account_mustache),
        ("question", PackageResources.question_mustache), ("deletion", PackageResources.deletion_mustache),
        ("code", PackageResources.code_mustache), ("joined", PackageResources.joined_mustache),
        ("list", PackageResources.list_mustache), ("problem", PackageResources.problem_mustache),
        ("unsubscribe", PackageResources.unsubscribe_mustache), ("passkey", PackageResources.passkey_mustache),
        ("pairing", PackageResources.pairing_mustache), ("share", PackageResources.share_mustache),
        ("items", PackageResources.items_mustache),
        ("tabs", PackageResources.tabs_mustache), ("signout", PackageResources.signout_mustache),
        ("operator", PackageResources.operator_mustache), ("funnel", PackageResources.funnel_mustache),
        ("referrals", PackageResources.referrals_mustache), ("decision", PackageResources.decision_mustache),
        ("deliveries", PackageResources.deliveries_mustache), ("health", PackageResources.health_mustache),
    ]
}
