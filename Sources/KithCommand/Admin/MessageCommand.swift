import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin message`: the texts of messages.
struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "Show the texts of messages.", subcommands: [Preview.self])

    struct Preview: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "preview",
            abstract: "Show a message as its recipient sees it, with example values.",
            discussion: """
                With --source it shows the template itself. To change a template, save that as KIND.LANGUAGE.message in \
                a folder of your own, edit it, and name the folder with --templates.
                """)
        @Argument(help: "The kind of message: \(MessageKind.allCases.map(\.rawValue).joined(separator: ", ")).")
        var name: String
        @Option(help: ArgumentHelp("The language, such as de or de-AT.", valueName: "tag")) var language: String?
        @Option(help: ArgumentHelp("A value of the message, such as code=123456.", valueName: "key=value"))
        var set: [String] = []
        @Option(
            help: ArgumentHelp("The folder of your own templates. [KITH_SERVE_TEMPLATES]", valueName: "folder"),
            completion: .directory)
        var templates: String?
        @Flag(help: "Show the HTML of the email.") var html = false
        @Flag(help: "Show the SMS.") var sms = false
        @Flag(help: "Show the template.") var source = false
        @Flag(help: "Answer in JSON.") var json = false

        func run() async throws {
            do {
                try Console(isJSON: json).say(try answer())
            } catch let error as ServerError {
                throw Failure(error)
            }
        }

        private func answer() throws -> CommandAnswer {
            guard let kind = MessageKind(rawValue: name) else {
                let kinds = MessageKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure.usage("“\(name)” is no kind of message. The kinds are \(kinds).")
            }
            let wanted = ["KITH_SERVE_TEMPLATES", "KITH_SERVE_SERVICE_NAME", "KITH_SERVE_DEFAULT_LANGUAGE"]
            let environment = ProcessInfo.processInfo.environment.filter { wanted.contains($0.key) }
            let settings = try ServerConfiguration(
                flags: templates.map { ["templates": $0] } ?? [:], environment: environment
            ).messages
            let languages = language.map { [$0] } ?? []
            if source {
                let all = try MessageTemplates(folder: settings.templates.map { URL(filePath: $0) })
                let (language, template) = all.template(kind, in: languages + [settings.defaultLanguage])
                return CommandAnswer(["kind": name, "language": language, "source": template.source]) { _ in
                    template.source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                }
            }
            let message = OutgoingMessage(
                id: MessageID(UUID()), channel: sms ? .sms : .email, recipient: "ada@example.com", kind: kind,
                languages: languages, values: try values(kind), canUnsubscribe: kind.canUnsubscribe)
            let composed = try MessageComposer(settings).compose(
                message, unsubscribe: kind.canUnsubscribe ? "https://kith.example.com/unsubscribe/TOKEN" : nil)
            let shown = html ? composed.html : composed.text
            return CommandAnswer([
                "kind": name, "language": composed.language, "subject": composed.subject, "text": composed.text,
                "html": composed.html,
            ]) { _ in
                (sms || html ? [] : [composed.subject.printable, ""]) + shown.printableLines
            }
        }

        /// The example values, and those that were set.
        private func values(_ kind: MessageKind) throws -> [String: String] {
            var values = [
                "code": "123456", "device": "Ada’s phone", "place": "Vienna", "minutes": "10", "inviter": "Ben",
                "list": "Groceries", "subject": "Our picnic", "text": "Shall we plan the picnic together?",
                "link": "https://kith.example.com/i/TOKEN", "person": "Ben", "left": "9",
                "address": "ada@example.com", "passkey": "Ada’s phone", "issuer": "Example Inc.",
            ].filter { kind.values.contains($0.key) }
            for pair in set {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2, kind.values.contains(parts[0]) else {
                    let names = kind.values.sorted().joined(separator: ", ")
                    throw Failure.usage("“\(pair)” is not KEY=VALUE with one of the keys \(names).")
                }
                values[parts[0]] = parts[1]
            }
            return values
        }
    }
}
