import GRDB
public import KithModel

extension Network {
    // MARK: Details, which are fetched when they are asked for

    /// All that someone shows me: phones, emails, addresses …
    ///
    /// Of a contact they are kept, and the server is only asked when there is something new. Offline it is what the
    /// device knows, and ``Person/isComplete`` says if that is not all. What has come is also told to those who listen,
    /// as an update of that contact with the key `details`.
    ///
    /// - Throws: ``KithError`` with `notFound` if there is no such account; of someone who is no contact, also `offline`,
    ///   `busy`, `noServer` …
    public func details(of id: AccountID) async throws -> Person {
        let known = try await client.replica.read { try Person.fetch($0, $1.key, id) }
        if let known, known.isComplete { return known }
        do {
            return try await fetchDetails(of: id)
        } catch let error as KithError where error.isForNow {
            if let known { return known }
            throw error
        }
    }

    /// The details of one contact, now and after each change of them; other contacts change nothing here. New ones are
    /// fetched as soon as the device learns that there are some. nil while there is no such contact.
    ///
    /// Ends if the replica cannot be read; any getter then says why.
    public func liveDetails(of id: AccountID) -> AsyncStream<Person?> {
        let values = client.live { try Person.fetch($0, $1.key, id) }
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                for await person in values {
                    continuation.yield(person)
                    // What comes is a new value of the stream. If nothing does, the next change asks again.
                    if let person, !person.isComplete { _ = try? await fetchDetails(of: id) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func fetchDetails(of id: AccountID) async throws -> Person {
        let relation = try await client.replica.read { try NetworkContact.fetch($0, $1.key, id)?.relation }
        let (shown, me) = try await client.engine.withAccount { connection, token, me in
            (try await connection.account(id, token: token), me)
        }
        guard shown.account == id else {
            throw KithError(.malformed, "The server has told of another account than \(id).")
        }
        return try await client.replica.write(origin: .server) { transaction in
            let account = transaction.account
            let contact = try NetworkContact.fetch(transaction.db, account.key, id)
            // What came after another account became the current one, or after access was lost, is not kept.
            guard account.id == me, let contact, contact.relation == relation,
                contact.isSomebody
            else { return Person(shown) }
            let details = Details(shown)
            if try Details.fetch(transaction.db, account.key, id) != details {
                try details.save(transaction.db, account.key, id)
                transaction.arrived[id, default: []].insert(.details)
            }
            return Person(shown)
        }
    }
}

extension KithError {
    /// Whether another time might do: what the device knows will do until then.
    var isForNow: Bool { [.offline, .busy, .noServer, .unauthorized].contains(code) }
}
