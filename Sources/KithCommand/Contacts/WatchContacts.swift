import ArgumentParser
import Kith
import KithAddressBook

extension ContactsCommand {
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Print each change of the contacts, until Ctrl-C.",
            discussion: """
                What is there comes first, then every change after it: another program writes a file, a card is \
                added to the account. With --json: one object a line.
                """)
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let context = try await CommandContext(options)
            try await region.remember(context)
            let book = context.addressBook
            let (news, teller) = AsyncStream.makeStream(of: Changed<Contact>.self)
            let end = EndSignal { _ in teller.finish() }
            defer { end.cancel() }
            try await withThrowingTaskGroup { group in
                group.addTask { for await changed in book.changes() { teller.yield(changed) } }
                group.addTask { await book.noteSources(on: context.console) }
                defer { group.cancelAll() }
                var memory = ContactNews()
                for await changed in news where !changed.isEmpty {
                    let lines = memory.lines(changed)
                    try context.console.say(CommandAnswer(changed.shape) { _ in lines })
                }
            }
        }
    }
}

extension AddressBook {
    /// Reports on standard error when a source cannot be read, and when it can be read again.
    fileprivate func noteSources(on console: Console) async {
        var failing: [SourceID: String] = [:]
        for await sources in liveSources() {
            for source in sources {
                if let sentence = source.error?.sentence {
                    if failing.updateValue(sentence, forKey: source.id) != sentence {
                        console.note("\(source.name): \(sentence)".printable)
                    }
                } else if case .loaded = source.state, failing.removeValue(forKey: source.id) != nil {
                    console.note("\(source.name): read again.".printable)
                }
            }
        }
    }
}

extension Changed<Contact> {
    fileprivate var shape: Shape {
        [
            "origin": origin.rawValue, "added": added.map(\.shape), "removed": removed.map(\.shape),
            "modified": modified.map(\.shape),
        ]
    }
}
