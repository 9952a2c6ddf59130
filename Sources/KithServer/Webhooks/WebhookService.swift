package import KithModel

/// Manages the operator's webhooks, and shows what has become of their events.
///
/// A server sends what waits within ``WebhookJob/interval``, also if another process has added it.
package struct WebhookService: Sendable {
    private let database: any Database
    private let random: RandomBytes

    /// A service over `database`.
    package init(database: any Database, random: RandomBytes = .system) {
        (self.database, self.random) = (database, random)
    }

    // MARK: Webhooks

    /// The webhooks, oldest first.
    package func list() async throws -> [Webhook] {
        try await database.read { try Webhook.all(in: $0) }
    }

    /// The webhook with this id.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is none.
    package func show(_ id: Webhook.ID) async throws -> Webhook {
        try await database.read { try Self.find(id, in: $0) }
    }

    /// Adds a webhook.
    ///
    /// - Parameters:
    ///   - url: The address, which gets POST requests: https, or http on this machine.
    ///   - programme: The only programme whose events it gets; nil for all.
    ///   - kinds: The events that it gets.
    ///   - now: The server's time.
    /// - Returns: The webhook, and its secret, which cannot be read again.
    /// - Throws: ``ServerError``: `malformed` if the address or the events do not fit; `notFound` if there is no such
    ///   programme; `tooMany` if there are ``WebhookLimits/webhooks``.
    package func add(
        _ url: String, programme: String? = nil,
        kinds: Set<WebhookEvent.Kind> = Set(WebhookEvent.Kind.choices), at now: Timestamp
    ) async throws -> (webhook: Webhook, secret: WebhookSecret) {
        guard let address = WebhookAddress(url) else {
            throw ServerError(.malformed, WebhookAddress.fault(of: url))
        }
        guard !kinds.isEmpty, kinds.isSubset(of: WebhookEvent.Kind.choices) else {
            let names = WebhookEvent.Kind.choices.map(\.type).joined(separator: ", ")
            throw ServerError(.malformed, "A webhook gets one or more of the events \(names).")
        }
        let (id, secret) = (Webhook.ID(at: now, random: random), WebhookSecret(random: random))
        let webhook = try await database.write { transaction -> Webhook in
            if let programme,
                try !transaction.exists("SELECT name FROM programme WHERE name = ?", [.text(programme)])
            {
                throw ServerError(
                    .notFound, "There is no programme “\(programme)”. `kith admin programme list` shows them.")
            }
            guard try transaction.count("SELECT count(*) FROM webhook") < WebhookLimits.webhooks else {
                throw ServerError(
                    .tooMany, "There are \(WebhookLimits.webhooks) webhooks already. Remove one first.")
            }
            try Webhook.insert(id, address, programme: programme, kinds, secret, at: now, in: transaction)
            return try Self.find(id, in: transaction)
        }
        return (webhook, secret)
    }

    /// Removes a webhook with its events.
    package func remove(_ id: Webhook.ID) async throws {
        try await database.write { try Self.find(id, in: $0).remove(in: $0) }
    }

    /// Pauses a webhook: its events wait.
    package func pause(_ id: Webhook.ID) async throws -> Webhook {
        try await database.write { transaction in
            try Self.find(id, in: transaction).pause(in: transaction)
            return try Self.find(id, in: transaction)
        }
    }

    /// Ends the pause of a webhook, or that it is off. What waits is sent at once.
    package func resume(_ id: Webhook.ID, at now: Timestamp) async throws -> Webhook {
        try await database.write { transaction in
            try Self.find(id, in: transaction).resume(in: transaction)
            try WebhookDelivery.hasten(id, at: now, in: transaction)
            return try Self.find(id, in: transaction)
        }
    }

    /// Gives a webhook another secret. Its requests are signed with both for ``WebhookLimits/oldSecret``.
    ///
    /// - Returns: The webhook, and its secret, which cannot be read again.
    package func rotate(
        _ id: Webhook.ID, at now: Timestamp
    ) async throws -> (webhook: Webhook, secret: WebhookSecret) {
        let secret = WebhookSecret(random: random)
        let webhook = try await database.write { transaction -> Webhook in
            try Self.find(id, in: transaction).replaceSecret(
                by: secret, until: now + WebhookLimits.oldSecret, in: transaction)
            return try Self.find(id, in: transaction)
        }
        return (webhook, secret)
    }

    /// Adds an event that tries a webhook out.
    ///
    /// - Returns: The event's id.
    /// - Throws: ``ServerError``: `notFound` if there is no such webhook; `conflict` if it is off; `tooMany` if too many events
    ///   wait.
    package func test(_ id: Webhook.ID, at now: Timestamp) async throws -> RecordID<WebhookDelivery> {
        try await database.write { [random] transaction in
            let outbox = WebhookOutbox(transaction: transaction, now: now, random: random)
            switch try outbox.add(WebhookEvent(.test, at: now, .init(webhook: id.description)), for: id) {
            case .stored(let delivery): return delivery
            case .dropped:
                throw ServerError(.tooMany, "\(WebhookLimits.waiting) events wait for the webhook already.")
            case .refused:
                _ = try Self.find(id, in: transaction)
                throw ServerError(.conflict, "The webhook is off. Resume it first.")
            }
        }
    }

    private static func find(_ id: Webhook.ID, in transaction: any Transaction) throws -> Webhook {
        if let webhook = try Webhook.find(id, in: transaction) { return webhook }
        throw ServerError(.notFound, "There is no such webhook. `kith admin webhook list` shows those there are.")
    }

    // MARK: Deliveries

    /// The newest deliveries, newest first.
    ///
    /// - Parameters:
    ///   - filter: Those that are meant.
    ///   - limit: The number of them.
    /// - Returns: The deliveries.
    /// - Throws: ``ServerError`` if the database fails.
    package func deliveries(
        _ filter: WebhookDelivery.Filter = WebhookDelivery.Filter(), limit: Int = 100
    ) async throws -> [WebhookDelivery] {
        try await database.read { try WebhookDelivery.newest(limit, filter, in: $0) }
    }

    /// The number of deliveries in each state.
    package func counts() async throws -> [WebhookDelivery.State: Int] {
        try await database.read { try WebhookDelivery.counts(in: $0) }
    }

    /// Sends deliveries that have ended once more, with the same ids. Those that wait stay as they are.
    ///
    /// - Returns: The number of those that are sent again.
    package func replay(_ filter: WebhookDelivery.Filter, at now: Timestamp) async throws -> Int {
        try await database.write { try WebhookDelivery.replay(filter, at: now, in: $0).count }
    }

    /// Sends single deliveries once more, with the same ids. Those that wait stay as they are.
    ///
    /// - Returns: The number of those that are sent again.
    /// - Throws: ``ServerError`` with the code `notFound` if there is none with one of the ids; nothing is sent then.
    package func replay(_ ids: [RecordID<WebhookDelivery>], at now: Timestamp) async throws -> Int {
        try await database.write { transaction in
            var count = 0
            for id in Set(ids) {
                guard try WebhookDelivery.find(id, in: transaction) != nil else {
                    throw ServerError(
                        .notFound, "There is no such delivery. `kith admin webhook deliveries` shows the newest.")
                }
                if try WebhookDelivery.replay(id, at: now, in: transaction) { count += 1 }
            }
            return count
        }
    }
}
