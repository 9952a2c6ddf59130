import KithModel

/// The operator's page with the messages on their way out, without their contents and whole addresses, and with the events
/// of webhooks.
package struct DeliveriesPage: Sendable {
    /// The states of which the page can show one.
    package enum State: String, CaseIterable, Sendable {
        case queued, sent, failed
    }

    /// What a form has done.
    package enum Notice: Hashable, Sendable {
        /// So many events are sent again.
        case sentAgain(Int)
        /// A webhook gets events again.
        case resumed
        /// The form is not of the session.
        case foreign
    }

    /// The number of messages on the page.
    package static let size = 100

    private let entries: [OutboxEntry]
    private let state: State?
    private let counts: [String: Int]
    private let suppressed: Int
    private let webhooks: WebhookTables

    /// The page of the newest messages.
    ///
    /// - Parameters:
    ///   - entries: The messages, newest first.
    ///   - state: Their state; nil for all.
    ///   - counts: The number of messages in each state.
    ///   - suppressed: The number of recipients who have unsubscribed from a kind of message.
    ///   - webhooks: The webhooks and their events.
    package init(
        _ entries: [OutboxEntry], _ state: State?, counts: [String: Int], suppressed: Int, webhooks: WebhookTables
    ) {
        (self.entries, self.state, self.counts, self.suppressed) = (entries, state, counts, suppressed)
        self.webhooks = webhooks
    }

    /// The page.
    package func page(_ frame: OperatorFrame, _ notice: Notice? = nil) -> Page {
        let states: [(value: String, label: PageValue)] = State.allCases.map {
            ($0.rawValue, .phrase("deliveries.\($0.rawValue)"))
        }
        var values: [String: PageValue] = [
            "suppressed": .number(suppressed), "isEmpty": .flag(entries.isEmpty), "messages": .rows(entries.map(row)),
            "states": SelectOptions.rows(states, selected: state?.rawValue),
            "hint": .phrase("deliveries.hint", ["count": String(entries.count)]),
        ]
        for state in State.allCases { values[state.rawValue] = .number(counts[state.rawValue] ?? 0) }
        values["proof"] = .text(frame.deliveryProof.text)
        switch notice {
        case .sentAgain(let count): values["notice"] = .phrase("deliveries.sentAgain", ["count": String(count)])
        case .resumed: values["notice"] = .phrase("deliveries.resumed")
        case .foreign: values["error"] = .phrase("operator.foreign")
        case nil: break
        }
        return frame.page(.deliveries, .deliveries, values.merging(webhooks.values) { $1 })
    }

    private func row(_ entry: OutboxEntry) -> [String: PageValue] {
        var values: [String: PageValue] = [
            "created": .moment(entry.created), "kind": .phrase("kind.\(entry.kind.rawValue)"),
            "recipient": .text(MaskedAddress.text(entry.recipient)), "attempts": .number(entry.attempts),
            "stateText": .phrase("deliveries.\(entry.state.name)"),
        ]
        switch entry.state {
        case .queued: values["badge"] = .text("held")
        case .sent: values["badge"] = .text("good")
        case .failed(let failure):
            values["badge"] = .text("bad")
            values["why"] = Self.sentence(failure.reason)
        }
        values["next"] = entry.due.map(PageValue.moment)
        return values
    }

    /// The reason in words; its code if a newer program has written it.
    private static func sentence(_ reason: MessageFailure.Reason) -> PageValue {
        let isKnown = PageTexts.of(.english).sections["failure"]?[reason.rawValue] != nil
        return isKnown ? .phrase("failure.\(reason.rawValue)") : .text(reason.rawValue)
    }
}
