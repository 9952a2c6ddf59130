package import Foundation
import KithModel

/// The templates of all kinds of messages in all languages: those of this program, unless the operator has replaced them.
package struct MessageTemplates: Sendable {
    /// The language that every kind of message has.
    package static let fallback = "en"

    private var templates: [MessageKind: [String: MessageTemplate]] = [:]

    /// The templates of this program, replaced or extended by the files `KIND.LANGUAGE.message` in `folder`.
    ///
    /// - Throws: ``ServerError`` that names the file and what to correct.
    package init(folder: URL? = nil) throws(ServerError) {
        for (name, bytes) in Self.builtIn { try add(name, String(decoding: bytes, as: UTF8.self)) }
        guard let folder else { return }
        let path = folder.path(percentEncoded: false)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw ServerError(
                .malformed, "The folder of templates, \(path), cannot be read. Name another with --templates.")
        }
        for name in names.sorted() where name.hasSuffix(".message") {
            guard let data = FileManager.default.contents(atPath: folder.appending(path: name).path),
                let text = String(data: data, encoding: .utf8)
            else { throw ServerError(.malformed, "The template \(name) cannot be read, or is not in UTF-8.") }
            try add(name, text)
        }
    }

    private mutating func add(_ name: String, _ text: String) throws(ServerError) {
        let parts = name.lowercased().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let kind = MessageKind(rawValue: parts[0]), LanguageTag.isTag(parts[1]) else {
            let kinds = MessageKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServerError(
                .malformed,
                "\(name) is not the name of a template. Call it KIND.LANGUAGE.message, with one of the kinds \(kinds).")
        }
        templates[kind, default: [:]][parts[1]] = try MessageTemplate(text, kind: kind, name: name)
    }

    /// The languages of a kind of message, sorted.
    package func languages(of kind: MessageKind) -> [String] { (templates[kind] ?? [:]).keys.sorted() }

    /// The template in the first wanted language that there is. A language of a region falls back to the language
    /// itself (RFC 4647, section 3.4), and everything falls back to English.
    package func template(_ kind: MessageKind, in wanted: [String]) -> (language: String, template: MessageTemplate) {
        let known = templates[kind] ?? [:]
        for tag in wanted {
            var parts = tag.lowercased().split { $0 == "-" || $0 == "_" }
            while !parts.isEmpty {
                let language = parts.joined(separator: "-")
                if let template = known[language] { return (language, template) }
                parts.removeLast()
            }
        }
        // `Self.builtIn` has English for every kind; a test checks it.
        return (Self.fallback, known[Self.fallback]!)
    }

    private static let builtIn: [(name: String, bytes: [UInt8])] = [
        ("code.en.message", PackageResources.code_en_message), ("code.de.message", PackageResources.code_de_message),
        ("code.fr.message", PackageResources.code_fr_message), ("code.es.message", PackageResources.code_es_message),
        ("invitation.en.message", PackageResources.invitation_en_message),
        ("invitation.de.message", PackageResources.invitation_de_message),
        ("invitation.fr.message", PackageResources.invitation_fr_message),
        ("invitation.es.message", PackageResources.invitation_es_message),
        ("share.en.message", PackageResources.share_en_message),
        ("share.de.message", PackageResources.share_de_message),
        ("share.fr.message", PackageResources.share_fr_message),
        ("share.es.message", PackageResources.share_es_message),
        ("joined.en.message", PackageResources.joined_en_message),
        ("joined.de.message", PackageResources.joined_de_message),
        ("joined.fr.message", PackageResources.joined_fr_message),
        ("joined.es.message", PackageResources.joined_es_message),
        ("recovery.en.message", PackageResources.recovery_en_message),
        ("recovery.de.message", PackageResources.recovery_de_message),
        ("recovery.fr.message", PackageResources.recovery_fr_message),
        ("recovery.es.message", PackageResources.recovery_es_message),
        ("device.en.message", PackageResources.device_en_message),
        ("device.de.message", PackageResources.device_de_message),
        ("device.fr.message", PackageResources.device_fr_message),
        ("device.es.message", PackageResources.device_es_message),
        ("identity.en.message", PackageResources.identity_en_message),
        ("identity.de.message", PackageResources.identity_de_message),
        ("identity.fr.message", PackageResources.identity_fr_message),
        ("identity.es.message", PackageResources.identity_es_message),
        ("wayin.en.message", PackageResources.wayin_en_message),
        ("wayin.de.message", PackageResources.wayin_de_message),
        ("wayin.fr.message", PackageResources.wayin_fr_message),
        ("wayin.es.message", PackageResources.wayin_es_message),
    ]
}
