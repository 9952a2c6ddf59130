import Foundation
import KithModel

/// Turns a message's values into its subject and texts, in the language of the recipient.
package struct MessageComposer: Sendable {
    private let templates: MessageTemplates
    /// The name of the service in messages.
    private let service: String
    /// The operator's language, for recipients and senders whose languages are unknown.
    private let language: String

    package init(templates: MessageTemplates, service: String, language: String) {
        self.templates = templates
        self.service = service
        self.language = language
    }

    /// A composed message.
    package struct Composed: Hashable, Sendable {
        package let language: String
        package let subject: String
        package let text: String
        /// Empty for an SMS.
        package let html: String
    }

    /// Composes a message.
    ///
    /// - Parameters:
    ///   - message: The message. Unknown values are ignored.
    ///   - unsubscribe: The address at which the recipient can unsubscribe; nil if that is not possible.
    /// - Returns: The subject and the texts.
    /// - Throws: ``ServerError`` with the code `malformed` if a value is missing or too long, or the link is not one.
    package func compose(_ message: OutgoingMessage, unsubscribe: String?) throws(ServerError) -> Composed {
        var values: [String: String] = ["service": service]
        for name in message.kind.values.sorted() {
            let value = try value(name, of: message)
            // An empty text counts as true in Mustache, a missing one as false.
            if !value.isEmpty { values[name] = value }
        }
        values["unsubscribe"] = unsubscribe
        let (language, template) = templates.template(message.kind, in: message.languages + [language])
        switch message.channel {
        case .sms:
            let text = message.kind == .code ? Self.code(template, values) : Self.shortened(template, values)
            return Composed(language: language, subject: "", text: text.text, html: "")
        case .email:
            let subject = PlainLine.text(template.render(.subject, values)).prefix(MessageLimits.subject)
            return Composed(
                language: language, subject: String(subject), text: template.render(.text, values),
                html: Self.page(template.render(.html, values), language: language))
        }
    }

    /// An SMS with a code, in at most ``MessageLimits/partsOfCode`` parts.
    ///
    /// The name of the device is shortened for that, or left out. The place is left out last, because people recognise a
    /// stranger by it.
    private static func code(_ template: MessageTemplate, _ given: [String: String]) -> SMSText {
        var values = given
        var text = Self.text(template, values)
        for length in [40, 30, 20, 10, 0] where text.parts > MessageLimits.partsOfCode {
            values["device"] = values["device"].map { String($0.prefix(length).trimmingWhitespace) }
            if values["device"]?.isEmpty == true { values["device"] = nil }
            text = Self.text(template, values)
        }
        if text.parts > MessageLimits.partsOfCode {
            values["place"] = nil
            text = Self.text(template, values)
        }
        return text
    }

    /// An SMS without a code, in at most ``MessageLimits/partsOfSMS`` parts.
    ///
    /// The text is shortened for that, then the names. The link stays whole, because a part of it leads nowhere. If the
    /// link or the operator’s template is so long that nothing else has room, the SMS has more parts.
    private static func shortened(_ template: MessageTemplate, _ given: [String: String]) -> SMSText {
        var values = given
        func fits() -> Bool { Self.text(template, values).parts <= MessageLimits.partsOfSMS }
        for name in ["text", "list", "inviter"] where !fits() {
            guard let value = given[name] else { continue }
            // Bisects for the longest beginning that fits: `length` fits, or is 0, and `end` does not.
            var (length, end) = (0, value.count)
            while end - length > 1 {
                let middle = (length + end) / 2
                values[name] = Self.beginning(of: value, middle)
                if fits() { length = middle } else { end = middle }
            }
            values[name] = Self.beginning(of: value, length)
        }
        return Self.text(template, values)
    }

    private static func beginning(of value: String, _ length: Int) -> String {
        "\(value.prefix(length).trimmingWhitespace)…"
    }

    private static func text(_ template: MessageTemplate, _ values: [String: String]) -> SMSText {
        SMSText(String(PlainLine.lines(template.render(.sms, values))[...].trimmingWhitespace))
    }

    private func value(_ name: String, of message: OutgoingMessage) throws(ServerError) -> String {
        let given = message.values[name] ?? ""
        let isText = name == "text"
        let value = isText ? String(PlainLine.lines(given)[...].trimmingWhitespace) : PlainLine.text(given)
        if value.isEmpty {
            guard !message.kind.required.contains(name) else {
                throw ServerError(.malformed, "The message lacks its “\(name)”. Give it a value.")
            }
            return ""
        }
        if name == "link" {
            let isLink = value.hasPrefix("https://") || value.hasPrefix("http://")
            guard isLink, !value.contains(" "), value.utf8.count <= MessageLimits.link else {
                throw ServerError(.malformed, "The message's link is not a web address of at most 2000 bytes.")
            }
            return value
        }
        let limit = isText ? MessageLimits.text : MessageLimits.line
        guard value.count <= limit else {
            throw ServerError(
                .tooLarge, "The message's “\(name)” has \(value.count) characters. Shorten it to \(limit).")
        }
        return value
    }

    /// A value in one line, as a message shows it: in its largest length; nil if nothing of it can be shown. Use it for text
    /// from people, which the composer would refuse.
    package static func line(_ text: String?) -> String? {
        let line = PlainLine.text(String(PlainLine.text(text ?? "").prefix(MessageLimits.line)))
        return line.isEmpty ? nil : line
    }

    private static func page(_ body: String, language: String) -> String {
        let isLeftward = ["ar", "fa", "he", "ur"].contains(language.prefix(2))
        return """
            <!DOCTYPE html>
            <html lang="\(language)" dir="\(isLeftward ? "rtl" : "ltr")">
            <head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>
            <body style="font-family: sans-serif; line-height: 1.5; max-width: 36em; margin: 1em auto; padding: 0 1em">
            \(body)</body>
            </html>

            """
    }
}

extension MessageComposer {
    /// The composer of these settings.
    ///
    /// - Throws: ``ServerError`` that names the template that is wrong.
    package init(_ settings: MessageSettings) throws(ServerError) {
        self.init(
            templates: try MessageTemplates(folder: settings.templates.map { URL(filePath: $0) }),
            service: settings.serviceName, language: settings.defaultLanguage)
    }
}
