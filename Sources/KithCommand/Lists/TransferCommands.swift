import ArgumentParser
import Foundation
import Kith
import KithModel

/// Importing and exporting lists.
extension ListsCommand {
    struct Import: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Read a list from a file: text, Markdown, CSV, iCalendar or JSON.",
            discussion: """
                A file that is partly unreadable imports what it can: each line that could not be read is named on \
                standard error, and the exit code is 7.
                """)
        @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
        @Option(help: ArgumentHelp("Add to this list.", valueName: "list"), completion: .custom(ListNames.complete))
        var into: String?
        @Option(help: "What to call the new list. Without it: as the file says, or as the file is called.")
        var name: String?
        @Option(help: "The format of the file. Default: recognised automatically.") var format: ListFormat?
        @Option(help: "The encoding of the file. Default: utf-8, or UTF-16 with a byte order mark.")
        var encoding: ListEncoding?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if into != nil && name != nil {
                throw ValidationError("Use either --into (an existing list) or --name (a new one).")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let target: SharedList? = if let into { try await ListFinder(context.client).list(into) } else { nil }
            let source = try ImportSource(file: file, format: format, encoding: encoding)
            let document = try source.read()
            if !document.unreadColumns.isEmpty {
                context.console.note(
                    "\(source.format.columns) that were not read: \(document.unreadColumns.joined(separator: ", ").printable)"
                )
            }
            for fault in document.faults {
                context.console.note("\(source.name):\(fault.line): \(fault.reason) “\(fault.text)”".printable)
            }
            if document.items.isEmpty && !document.faults.isEmpty {
                throw Failure(
                    .faults, "faults", "Nothing in \(source.name) could be read as \(source.format.rawValue).")
            }
            let list = try await context.console.progress("Importing") {
                guard let target else {
                    return try await context.lists.create(
                        (name ?? document.name ?? source.title).trimmed, kind: document.kind ?? SharedList.standardKind,
                        theme: document.theme, with: document.items)
                }
                try await context.lists.add(document.items, to: target.id)
                return target
            }
            if target == nil { try await ListFinder(context.client).noteNamesake(of: list, on: context.console) }
            let imported = "Imported \(document.items.count.things("item")) into “\(list.name)”"
            return CommandAnswer(
                [
                    "list": try await context.lists.summary(of: list).shape, "imported": document.items.count,
                    "format": source.format.rawValue, "faults": document.faults.map(\.shape),
                    "moreFaults": document.moreFaults, "unread": document.unreadColumns,
                ],
                status: document.faults.isEmpty ? .done : .faults,
                document.faults.isEmpty
                    ? imported + "." : imported + "; \(source.format.counted(document.faultCount)) could not be read.")
        }
    }

    struct Export: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write a list to a file, in any format that import reads.")
        @OptionGroup var target: ListArgument
        @Option(help: "The format. Default: by the file's name, else markdown.") var format: ListFormat?
        @Option(
            name: .shortAndLong,
            help: "The file, which is replaced; only you can read a new one. - is standard output, the default.",
            completion: .file())
        var output = "-"
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let items = try await context.lists.items(in: list.id)
            let document = ListDocument(
                name: list.name, kind: list.kind, theme: list.theme, items: items.map(ItemDraft.init))
            let format = format(context)
            if self.format == nil, namedFormat == nil, !(output as NSString).pathExtension.isEmpty {
                context.console.note(
                    "\(output) is written as \(format.rawValue), because its ending names no format. Say --format."
                        .printable)
            }
            let data = format.write(document)
            let left = format.left(of: document)
            if !left.isEmpty {
                context.console.note(
                    "Not in \(format.rawValue): \(left.joined(separator: ", ")). \(format.fuller)")
            }
            if data.count > ListFormat.byteLimit || items.count > ListFormat.itemLimit {
                context.console.note(
                    """
                    Kith imports at most \(ListFormat.byteLimit >> 20) MiB and \(ListFormat.itemLimit) items. To import \
                    this list again, split the file.
                    """)
            }
            if output == "-" { return CommandAnswer(content: data) }
            try NamedFile(output).write(data)
            return CommandAnswer(
                [
                    "list": try await context.lists.summary(of: list).shape, "file": output,
                    "format": format.rawValue, "exported": items.count, "left": left,
                ],
                "Wrote \(items.count.things("item")) of “\(list.name)” to \(output).")
        }

        private func format(_ context: CommandContext) -> ListFormat {
            if let format { return format }
            return namedFormat ?? (context.console.isJSON ? .json : .markdown)
        }

        /// The format that the ending of the file names.
        private var namedFormat: ListFormat? {
            output == "-" ? nil : ListFormat.recognised(fileName: output, content: Data())
        }
    }
}

extension ListFormat {
    /// The formats to prefer if this one does not keep something.
    fileprivate var fuller: String {
        switch self {
        case .text, .markdown: "csv keeps all of the items, json everything."
        case .csv, .icalendar, .json: "json keeps everything."
        }
    }

    /// The data in a file of this format that an item may not be able to hold.
    fileprivate var columns: String {
        switch self {
        case .csv: "Columns"
        case .json: "Keys"
        default: "Properties"
        }
    }

    /// The number of faults in words. One line of JSON can have several, and one fault of a calendar can span many
    /// lines.
    fileprivate func counted(_ faults: Int) -> String {
        self == .json || self == .icalendar
            ? (faults == 1 ? "1 entry" : "\(faults) entries") : faults.things("line")
    }
}

extension ListDocument.Fault {
    fileprivate var shape: Shape { ["line": line, "text": text, "reason": reason] }
}
