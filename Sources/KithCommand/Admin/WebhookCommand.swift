package import ArgumentParser
import Foundation
import KithModel
package import KithServer

/// `kith admin webhook`: the addresses at which the operator's own systems learn what sharing has brought.
struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Tell your own systems about shares, friends and rewards.",
        discussion: """
            A webhook gets a signed POST request for each event. The server sends it within seconds, and repeats it for three \
            days. Documentation/Sharing.md describes the requests.
            """,
        subcommands: [
            List.self, Add.self, Show.self, Remove.self, Pause.self, Resume.self, Rotate.self, Test.self,
            Deliveries.self, Replay.self,
        ], defaultSubcommand: List.self)

    struct List: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the webhooks. (Also: kith admin webhook)")
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let webhooks = try await admin.webhooks.list()
            return CommandAnswer(["webhooks": webhooks.map(\.shape)]) { colour in
                if webhooks.isEmpty { return ["There are no webhooks. Add one: kith admin webhook add URL"] }
                let ids = ShortIDs(webhooks.map(\.id))
                return Table(
                    header: ["Webhook", "Address", "Programme", "State", "Waiting", "Given up"], webhooks
                ) { webhook in
                    [
                        Table.Cell(ids[webhook.id]), Table.Cell(webhook.url), Table.Cell(webhook.programme ?? "all"),
                        Table.Cell(webhook.state.words), .number(webhook.waiting), .number(webhook.failed),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Add: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a webhook, and print its secret.",
            discussion: "The secret is shown only here. With it, a receiver checks that a request is from this server.")
        @Argument(
            help: ArgumentHelp("Where requests go: https://…, or http://localhost… on this machine.", valueName: "url"))
        var url: String
        @Option(help: ArgumentHelp("Only events of this programme.", valueName: "name")) var programme: String?
        @Option(
            help: ArgumentHelp(
                "Only these events, separated by commas: referral.shared, referral.joined, referral.held, referral.granted, "
                    + "referral.refused. The names also count without “referral.”.", valueName: "names"),
            transform: WebhookEvent.Kind.argument)
        var events: Set<WebhookEvent.Kind>?
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            try await admin.requireProgramme(programme)
            let others = try await admin.webhooks.list().filter { $0.url == url }
            let (webhook, secret) = try await admin.webhooks.add(
                url, programme: programme, kinds: events ?? Set(WebhookEvent.Kind.choices), at: Timestamp(.now))
            var advice: [String] = []
            if WebhookAddress(url)?.isPrivate ?? false {
                advice.append(
                    "The server sends nothing to private addresses unless webhooks-to-private-addresses is on.")
            }
            if !others.isEmpty {
                let ids = ShortIDs((others + [webhook]).map(\.id))
                let known = others.map { ids[$0.id] }.joined(separator: ", ")
                advice.append(
                    "This address has another webhook already (\(known)), so it can get an event twice. "
                        + "To remove one: kith admin webhook remove ID")
            }
            return webhook.answer("is added", secret, advice)
        }
    }

    struct Show: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a webhook, and whether it works.")
        @Argument(help: "The webhook's id, or the start of it.") var id: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let webhook = try await admin.webhook(id)
            return CommandAnswer(["webhook": webhook.shape]) { webhook.lines(colour: $0) }
        }
    }

    struct Remove: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a webhook with its events.")
        @Argument(help: "The webhook's id, or the start of it.") var id: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let webhook = try await admin.webhook(id)
            try await admin.webhooks.remove(webhook.id)
            return CommandAnswer(["removed": webhook.id], "The webhook \(webhook.url) is removed.")
        }
    }

    struct Pause: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause",
            abstract: "Pause a webhook: its events wait.",
            discussion: "Up to \(WebhookLimits.waiting) events wait, for at most 30 days.")
        @Argument(help: "The webhook's id, or the start of it.") var id: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let webhook = try await admin.webhook(id)
            return try await admin.webhooks.pause(webhook.id).answer("is paused")
        }
    }

    struct Resume: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume",
            abstract: "End the pause of a webhook. What waits is sent at once.",
            discussion: "This also switches a webhook on whose receiver has answered that it is gone (410).")
        @Argument(help: "The webhook's id, or the start of it.") var id: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let webhook = try await admin.webhook(id)
            return try await admin.webhooks.resume(webhook.id, at: Timestamp(.now)).answer("is active")
        }
    }

    struct Rotate: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Replace the secret of a webhook, and print the new one.",
            discussion: "For a day, requests are signed with both secrets.")
        @Argument(help: "The webhook's id, or the start of it.") var id: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let found = try await admin.webhook(id)
            let (webhook, secret) = try await admin.webhooks.rotate(found.id, at: Timestamp(.now))
            return webhook.answer("has a new secret", secret)
        }
    }

    struct Test: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send an event to a webhook that tries it out.",
            discussion: "The server sends it within seconds. “kith admin webhook deliveries” shows the answer.")
        @Argument(help: "The webhook's id, or the start of it.") var id: String
        @OptionGroup var files: ServerFiles

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let webhook = try await admin.webhook(id)
            let event = try await admin.webhooks.test(webhook.id, at: Timestamp(.now))
            return CommandAnswer(
                ["event": event, "webhook": webhook.id],
                webhook.state == .active
                    ? "The event \(event) is on its way. See what becomes of it: kith admin webhook deliveries"
                    : "The event \(event) waits until the webhook is resumed.")
        }
    }

    struct Deliveries: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "deliveries",
            abstract: "Show the newest events, and what has become of them.",
            discussion: "With --json, each event has its whole body. Events are kept for 30 days.")
        @Flag(help: "Only those of one state.") var state: WebhookDelivery.State?
        @Option(help: ArgumentHelp("Only those of this webhook.", valueName: "id")) var webhook: String?
        @OptionGroup var files: ServerFiles
        @OptionGroup var listing: ListingOptions

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let filter = WebhookDelivery.Filter(webhook: try await admin.webhook(webhook)?.id, state: state)
            let (shown, hasMore) = try await listing.newest {
                try await admin.webhooks.deliveries(filter, limit: $0)
            }
            // Short among all webhooks, because the other commands find a webhook by the start of its id among all.
            let webhooks = ShortIDs(try await admin.webhooks.list().map(\.id))
            return CommandAnswer(["deliveries": shown.map(\.shape), "more": hasMore]) { colour in
                shown.lines(webhooks, colour: colour) + (hasMore ? ["There are more: --limit N"] : [])
            }
        }
    }

    struct Replay: ServerFilesCommand {
        static let configuration = CommandConfiguration(
            commandName: "replay",
            abstract: "Send events once more, with the same ids.",
            discussion: "A receiver can ignore an event whose id it knows. Events that still wait stay as they are.")
        @Argument(help: ArgumentHelp("The ids of events, or the starts of them.", valueName: "id"))
        var ids: [String] = []
        @Flag(help: "All that were given up.") var failed = false
        @Option(
            help: "All since then, also those that were delivered: 2026-12-24T08:00 in this zone.",
            transform: Moment.argument)
        var since: Moment?
        @Option(help: ArgumentHelp("With --failed or --since: only those of this webhook.", valueName: "id"))
        var webhook: String?
        @OptionGroup var files: ServerFiles

        func validate() throws {
            if ids.isEmpty != (failed || since != nil) {
                throw ValidationError("Name the ids of events, or use --failed or --since.")
            }
            if webhook != nil && !ids.isEmpty { throw ValidationError("--webhook needs --failed or --since.") }
        }

        func answer(_ admin: AdminContext) async throws -> CommandAnswer {
            let (service, now) = (admin.webhooks, Timestamp(.now))
            let count: Int
            if ids.isEmpty {
                let filter = WebhookDelivery.Filter(
                    webhook: try await admin.webhook(webhook)?.id, state: failed ? .failed : nil,
                    since: since.map { Timestamp($0.date) })
                count = try await service.replay(filter, at: now)
            } else {
                count = try await service.replay(try await admin.events(ids), at: now)
            }
            return CommandAnswer(["replayed": count], "Sent again: \(count.things("event")).")
        }
    }
}

extension AdminContext {
    /// The webhook with this id, or this start of its id.
    ///
    /// - Throws: ``Failure`` `notFound` or `ambiguous`.
    fileprivate func webhook(_ text: String) async throws -> Webhook {
        let all = try await webhooks.list()
        return try Reference(text).find(in: all, kind: "webhook", listedBy: "kith admin webhook") { _, webhook in
            Nameable(id: webhook.id, name: nil)
        }
    }

    /// The same; nil without a text.
    fileprivate func webhook(_ text: String?) async throws -> Webhook? {
        guard let text else { return nil }
        let found: Webhook = try await webhook(text)
        return found
    }

    /// The events with these ids, or these starts of their ids.
    fileprivate func events(_ texts: [String]) async throws -> [WebhookDelivery.ID] {
        let whole = texts.compactMap { WebhookDelivery.ID($0.lowercased()) }
        if whole.count == texts.count { return whole }
        let names = try await webhooks.deliveries(limit: Self.mostEvents).map { Nameable(id: $0.id, name: nil) }
        return try texts.map { text in
            try Reference(text).resolve(among: names, kind: "event", listedBy: "kith admin webhook deliveries").id
        }
    }

    /// The largest number of events among which one is found by the start of its id.
    private static let mostEvents = 10_000
}

extension WebhookEvent.Kind {
    /// Reads kinds from the command line.
    fileprivate static func argument(_ text: String) throws -> Set<WebhookEvent.Kind> {
        let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let kinds = names.compactMap { name in choices.first { $0.rawValue == name || $0.type == name } }
        if !names.isEmpty && kinds.count == names.count { return Set(kinds) }
        let known = choices.map(\.type).joined(separator: ", ")
        throw ValidationError("“\(text)” does not name events. The events are \(known).")
    }
}

extension Webhook.State {
    /// The state for `--json`.
    fileprivate var name: String { self == .gone ? "off" : rawValue }

    fileprivate var words: String {
        switch self {
        case .active: "active"
        case .paused: "paused"
        case .failing: "paused after failures"
        case .gone: "off (410)"
        }
    }
}

extension Webhook {
    /// The webhook for `--json`.
    fileprivate var shape: Shape {
        [
            "id": id, "url": url, "programme": programme, "events": kinds.map(\.type), "state": state.name,
            "created": created.date, "failures": failures, "failingSince": failingSince?.date, "rests": rests?.date,
            "detail": detail, "dropped": dropped, "waiting": waiting, "failed": failed,
            "oldSecretUntil": oldSecretUntil?.date,
        ]
    }

    /// The result of a command that has changed the webhook.
    fileprivate func answer(_ predicate: String) -> CommandAnswer {
        CommandAnswer(["webhook": shape], "The webhook \(url) \(predicate).")
    }

    /// The result of a command that has made a secret. It is alone on the last line, so that it is easy to copy.
    fileprivate func answer(_ predicate: String, _ secret: WebhookSecret, _ advice: [String] = []) -> CommandAnswer {
        let text = secret.text
        return CommandAnswer(["webhook": shape, "secret": text]) { _ in
            ["The webhook \(url) \(predicate). Its id: \(id)".printable] + advice
                + ["Its secret, which is not shown again:", text]
        }
    }

    /// The webhook for people.
    fileprivate func lines(colour: Bool) -> [String] {
        var table = Table()
        func add(_ name: String, _ value: String?) {
            if let value { table.add([Table.Cell(name, .faint), Table.Cell(value)]) }
        }
        add("Id", id.description)
        add("Address", url)
        add("Programme", programme ?? "all")
        add("Events", kinds.map(\.type).joined(separator: ", "))
        add("State", state.words)
        add("Created", created.date.day)
        add("Failing since", failingSince?.date.day)
        add("Last failure", detail)
        add("Next attempt", rests?.date.day)
        add("Waiting", String(waiting))
        add("Given up", String(failed))
        add("Not stored", dropped > 0 ? "\(dropped.things("event")), because too many waited" : nil)
        add("Old secret", oldSecretUntil.flatMap { $0.date > .now ? "valid until \($0.date.day)" : nil })
        return table.lines(colour: colour)
    }
}

extension WebhookDelivery.State: EnumerableFlag {
    /// The help for the flag of a state.
    package static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .waiting: "Only those that wait."
        case .delivered: "Only those that were delivered."
        case .failed: "Only those that were given up."
        }
    }

    /// The state for people.
    fileprivate var words: String {
        switch self {
        case .waiting: "waiting"
        case .delivered: "delivered"
        case .failed: "given up"
        }
    }
}

extension WebhookDelivery {
    /// The event for `--json`.
    fileprivate var shape: Shape {
        [
            "id": id, "webhook": webhook, "event": kind.type, "state": state.rawValue, "attempts": attempts,
            "created": created.date, "due": due?.date, "ended": ended?.date, "status": status, "detail": detail,
            "body": body,
        ]
    }
}

extension [WebhookDelivery] {
    /// The table of a listing.
    fileprivate func lines(_ webhooks: ShortIDs<Webhook.ID>, colour: Bool) -> [String] {
        if isEmpty { return ["There are no such events."] }
        let ids = ShortIDs(map(\.id))
        return Table(header: ["When", "Event", "State", "Attempts", "Answer", "Webhook", "Id"], self) { one in
            let answer = one.detail ?? one.status.map { "HTTP \($0)" } ?? ""
            return [
                Table.Cell(one.created.date.day, .faint), Table.Cell(one.kind.type),
                Table.Cell(one.state.words), .number(one.attempts), Table.Cell(answer),
                Table.Cell(webhooks[one.webhook]), Table.Cell(ids[one.id], .faint),
            ]
        }.lines(colour: colour)
    }
}
