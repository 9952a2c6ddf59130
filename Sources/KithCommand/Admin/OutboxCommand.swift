import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin outbox`: the messages that the server sends.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Show the messages that go out, and what has become of them.",
        subcommands: [List.self, Show.self, Resubscribe.self], defaultSubcommand: List.self)

    struct List: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the newest messages, without their content.")
        @OptionGroup var files: ServerFiles
        @OptionGroup var listing: ListingOptions

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let limit = listing.limit
            let (entries, counts) = try await admin.database.read { transaction in
                (try OutboxEntry.newest(limit, in: transaction), try OutboxEntry.counts(in: transaction))
            }
            let files = Set((try? FileManager.default.contentsOfDirectory(atPath: admin.outboxPath)) ?? [])
            let shapes = entries.map { $0.shape(file: admin.file(of: $0, among: files)) }
            return CommandAnswer(["messages": shapes, "counts": Shape(counts: counts), "folder": admin.outboxPath]) {
                colour in
                if entries.isEmpty { return ["No message was sent in the last 30 days."] }
                let table = Table(header: ["Message", "Created", "Kind", "To", "State", "Attempts"], entries) { entry in
                    [
                        Table.Cell(entry.id.description), Table.Cell(entry.created.date.day),
                        Table.Cell(entry.kind.rawValue), Table.Cell(entry.recipient), Table.Cell(entry.words),
                        .number(entry.attempts),
                    ]
                }
                let total = ["queued", "sent", "failed"].map { "\(counts[$0] ?? 0) \($0)" }.joined(separator: ", ")
                return table.lines(colour: colour) + ["In all: \(total)."]
            }
        }
    }

    struct Show: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show one message, the newest unless an id is given.",
            discussion: """
                The content is shown if the message still waits, or was written to a file. A message that a relay has \
                accepted has none: it may hold a code.
                """)
        @Argument(help: "The message's id.") var id: String?
        @Flag(help: "Show the file as it is, instead of the text that the recipient reads.") var raw = false
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let wanted = try id.map { text in
                guard let id = MessageID(text) else {
                    throw Failure.usage("“\(text)” is no message's id. “kith admin outbox” lists them.")
                }
                return id
            }
            let found = try await admin.database.read { transaction -> (OutboxEntry, String?)? in
                let entry =
                    if let wanted { try OutboxEntry.find(wanted, in: transaction) } else {
                        try OutboxEntry.newest(1, in: transaction).first
                    }
                return try entry.map { ($0, try OutboxEntry.text(of: $0.id, in: transaction)) }
            }
            guard let (entry, waiting) = found else {
                throw Failure.notFound("There is no such message. “kith admin outbox” lists them.")
            }
            let files = Set((try? FileManager.default.contentsOfDirectory(atPath: admin.outboxPath)) ?? [])
            let file = admin.file(of: entry, among: files)
            let written = file.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
            let readable = raw ? nil : written.flatMap { ReadableEmail($0)?.lines }
            let content = (readable ?? written ?? waiting)?.replacing("\r\n", with: "\n")
            var lines = ["\(entry.kind.rawValue) to \(entry.recipient): \(entry.words)".printable]
            if let file { lines.append("In \(file)") }
            if let content { lines += [""] + content.printableLines }
            return CommandAnswer(["message": entry.shape(file: file), "content": content]) { [lines] _ in lines }
        }
    }

    struct Resubscribe: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "resubscribe",
            abstract: "Send messages again to somebody who has unsubscribed.",
            discussion: """
                Use it only if the recipient has asked you to. The page on which people unsubscribe has a button that does \
                the same, for messages of one kind.
                """)
        @OptionGroup var recipient: IdentityArgument
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let identity = try recipient.identity()
            let kinds = try await admin.database.write { try Unsubscribing.resubscribe(identity, in: $0) }
            let sentence =
                kinds.isEmpty
                ? "\(identity.shown) has not unsubscribed."
                : "\(identity.shown) gets messages of these kinds again: \(kinds.joined(separator: ", "))."
            return CommandAnswer(["recipient": identity.text, "kinds": kinds], sentence)
        }
    }
}

extension ReadableEmail {
    /// The email for a terminal.
    fileprivate var lines: String { "From: \(from)\nTo: \(to)\nSubject: \(subject)\n\n\(text)" }
}

extension OutboxEntry {
    fileprivate func shape(file: String?) -> Shape {
        var failure: MessageFailure?
        if case .failed(let found) = state { failure = found }
        let detail = failure.map { $0.detail ?? "" } ?? delay
        return [
            "id": id, "channel": channel.rawValue, "kind": kind.rawValue, "language": language, "recipient": recipient,
            "state": state.name, "reason": failure?.reason.rawValue, "detail": detail,
            "attempts": attempts, "created": created.date, "due": due?.date, "file": file,
        ]
    }

    /// The state in words.
    fileprivate var words: String {
        switch state {
        case .queued:
            attempts == 0 ? "queued" : ["tried again later", delay].compactMap(\.self).joined(separator: ": ")
        case .sent: "sent"
        case .failed(let failure):
            ["failed: \(failure.reason.rawValue)", failure.detail].compactMap(\.self).joined(separator: " ")
        }
    }
}

extension AdminContext {
    /// The file to which a message was written; nil if there is none.
    fileprivate func file(of entry: OutboxEntry, among names: Set<String>) -> String? {
        let name = FileGateway.name(of: entry.id, entry.channel)
        return names.contains(name) ? "\(outboxPath)/\(name)" : nil
    }
}

extension Shape {
    fileprivate init(counts: [String: Int]) {
        self = counts.reduce(into: [:] as Shape) { $0 = $0 + [$1.key: $1.value] }
    }
}
