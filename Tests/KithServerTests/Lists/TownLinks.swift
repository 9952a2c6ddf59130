import KithModel
import KithServer

/// The links of a town's lists: each operation in a transaction of its own.
struct TownLinks {
    let database: any ImmediateDatabase
    let random: RandomBytes

    func create(
        _ request: LinkRequest, for list: ListID, by account: AccountID, at now: Timestamp
    ) throws -> Committed<ListLink> {
        try write(now) { try $0.create(request, for: list, by: account) }
    }

    func revoke(_ link: LinkID, of list: ListID, by account: AccountID, at now: Timestamp) throws -> Committed<ListLink>
    {
        try write(now) { try $0.revoke(link, of: list, by: account) }
    }

    func accept(_ token: String, by account: AccountID, at now: Timestamp) throws -> Committed<LinkAcceptance> {
        try write(now) { try $0.accept(token, by: account) }
    }

    func letIn(_ person: AccountID, to list: ListID, by account: AccountID, at now: Timestamp) throws {
        try write(now) { try $0.letIn(person, to: list, by: account) }
    }

    func links(of list: ListID, by account: AccountID, at now: Timestamp) throws -> [ListLink] {
        try read(now) { try $0.links(of: list, by: account).links }
    }

    func removed(of list: ListID, by account: AccountID, at now: Timestamp) throws -> [RemovedPerson] {
        try read(now) { try $0.removed(of: list, by: account).people }
    }

    func preview(_ token: String, at now: Timestamp) throws -> LinkPreview {
        try read(now) { try $0.preview(token) }
    }

    func publicList(_ token: String, at now: Timestamp) throws -> PublicList {
        try read(now) { try $0.publicList(token) }
    }

    func linkedList(_ token: String, at now: Timestamp) throws -> LinkedList {
        try read(now) { try $0.linkedList(token) }
    }

    func tick(
        _ item: ItemID, _ isTicked: Bool = true, by giver: String, with token: String, session: String? = nil,
        at now: Timestamp
    ) throws -> Committed<LinkTicks.Outcome> {
        try database.writeNow { [server = database.server] transaction in
            try LinkTicks(transaction, at: now, on: server)
                .tick(item, to: isTicked, by: giver, with: token, session: session)
        }
    }

    private func write<Value: Sendable>(
        _ now: Timestamp, _ body: @escaping @Sendable (LinkTransaction) throws -> Value
    ) throws -> Value {
        try database.writeNow { [server = database.server, random] transaction in
            try body(LinkTransaction(transaction, at: now, on: server, random: random))
        }
    }

    private func read<Value: Sendable>(
        _ now: Timestamp, _ body: @escaping @Sendable (LinkTransaction) throws -> Value
    ) throws -> Value {
        try database.readNow { [server = database.server] transaction in
            try body(LinkTransaction(transaction, at: now, on: server))
        }
    }
}
