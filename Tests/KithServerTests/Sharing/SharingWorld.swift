import Foundation
import KithModel
import KithServer
import Testing

/// A town whose people share in the programme `friends`.
struct SharingWorld {
    let town: Town
    let queue: MessageQueue
    private let random: RandomBytes
    private let countries: PhoneCountries

    /// The parts of the operator's file besides its name, title and text.
    static let rewards = """
        "rewards":{
            "advocate":{"name":"voucher-5","title":{"en":"5 € voucher","de":"Gutschein über 5 €"},"event":"joined"},
            "friend":{"name":"voucher-3","title":{"en":"3 € voucher"},"event":"joined"}
        }
        """

    /// The columns and values of a held referral with damaged ids.
    static let damagedReferral = """
        (id, programme, advocate, friend, event, record, occurred, state, reasons, until, due, is_by_operator)
        VALUES (X'010203', 'friends', X'01', X'01', 'joined', X'01', 0, 'held', '', 0, 0, 0)
        """

    /// A world with these parts of the operator's file besides its name, title and text; nil for no programme.
    init(_ parts: String? = SharingWorld.rewards, town: Town? = nil) throws {
        let random = RandomBytes(seed: 5)
        self.random = random
        self.town = try town ?? Town()
        countries = try PhoneCountries([], plan: TestPlan())
        queue = MessageQueue(
            composer: try MessageComposer(MessageSettings()), address: { "https://kith.example" }, random: random)
        if let parts { try addProgramme("friends", parts) }
    }

    /// Stores a programme, as the operator does.
    func addProgramme(_ name: String, _ parts: String) throws {
        let file = """
            {"name":"\(name)","title":{"en":"Bring a friend"},"text":{"en":"Both of you get a voucher."}\
            \(parts.isEmpty ? "" : ",")\(parts)}
            """
        try town.execute(
            "INSERT INTO programme (name, json, is_paused, created, changed) VALUES (?, ?, 0, 0, 0)",
            [.text(name), .text(file)])
    }

    func pause(_ isPaused: Bool = true) throws {
        try town.execute("UPDATE programme SET is_paused = ?", [.flag(isPaused)])
    }

    var dependencies: SharingDependencies {
        SharingDependencies(
            messages: queue, link: { $0.address(server: "https://kith.example") }, canonical: countries.canonical,
            random: random)
    }

    var referrals: ReferralService { ReferralService(database: town.database, random: random) }

    func person(_ name: String) throws -> Phone { try town.person(name) }

    /// Does what the background job does.
    @discardableResult func work() throws -> Signals {
        try SharingService.workNow(dependencies, at: town.now, on: town.database)
    }

    /// Gives an identity to an account, as every way to prove one does, and finds out who has brought it.
    func prove(_ identity: String, by phone: Phone) throws {
        try town.prove(identity, by: phone)
        try work()
    }

    func messages() throws -> [String] { try town.messages(.share) }

    /// The number of rows of a table.
    func count(_ table: String) throws -> Int64 {
        try town.database.readNow { try $0.query("SELECT count(*) FROM \(table)").first?.integer(0) ?? 0 }
    }

    /// Lets the background job do all its work again, as after a crash whose commit was lost.
    func repeatEverything(about phones: Phone...) throws {
        let now = SQLValue.time(town.now)
        try town.execute("UPDATE sign_up SET due = ?", [now])
        try town.execute("UPDATE claim SET is_open = 1")
        try town.execute("UPDATE referral SET due = ? WHERE state = 'held'", [now])
        for phone in phones {
            for (kind, records) in [("claim", phone.claims.map(\.id.uuid)), ("share", phone.shares.map(\.id.uuid))] {
                for record in records {
                    try town.execute(
                        "INSERT INTO sharing_work (account, record, kind, due) VALUES (?, ?, ?, ?)",
                        [.id(phone.account), .id(RecordID<Never>(record)), .text(kind), now])
                }
            }
        }
        try work()
    }
}

extension Phone {
    /// A new shareable with this code.
    func shareable(_ code: String, id: ShareableID? = nil, in programme: String = "friends") -> Mutation {
        let id: ShareableID = id ?? town.id()
        return mutation(
            home, .shareables, id.retyped(), .set(["programme": .text(programme), "code": .text(code)]))
    }

    /// An edit of the only shareable in the replica.
    func change(_ fields: Fields) throws -> Mutation {
        let id: RecordID<Never> = try #require(shareables.first).id.retyped()
        return mutation(home, .shareables, id, .set(fields), seen: replica[home]?[id]?.sequence ?? 0)
    }

    /// A share of the only shareable in the replica.
    func share(_ channel: ShareChannel, to recipient: String? = nil, _ more: Fields = [:]) throws -> Mutation {
        var fields: Fields = [
            "shareable": .text(try #require(shareables.first).id.description), "channel": .text(channel.rawValue),
            "shared": .integer(town.now.milliseconds),
        ]
        if let recipient { fields["recipient"] = .text(recipient) }
        fields.merge(more) { $1 }
        return mutation(home, .shares, town.id(), .set(fields))
    }

    /// The use of a code.
    func use(_ code: String, by channel: String? = nil) -> Mutation {
        var fields: Fields = ["code": .text(code), "used": .integer(town.now.milliseconds)]
        if let channel { fields["channel"] = .text(channel) }
        return mutation(home, .claims, town.id(), .set(fields))
    }

    /// An event that may earn a reward.
    func event(_ name: String, id: SharingEventID? = nil) -> Mutation {
        let id: SharingEventID = id ?? town.id()
        return mutation(
            home, .events, id.retyped(),
            .set([
                "programme": "friends", "name": .text(name), "occurred": .integer(town.now.milliseconds),
            ]))
    }

    private func records<Value>(
        _ collection: RecordCollection, _ read: (RecordChange, Fields) -> Value?
    ) -> [Value] {
        (replica[home] ?? [:]).values.filter { $0.collection == collection }.sorted { $0.id < $1.id }
            .compactMap { read($0, $0.fields ?? [:]) }
    }

    var shareables: [Shareable] {
        records(.shareables) { Shareable(id: $0.id.retyped(), $1, modified: $0.modified) }
    }
    var shares: [Share] { records(.shares) { Share(id: $0.id.retyped(), $1, modified: $0.modified) } }
    var claims: [Claim] { records(.claims) { Claim(id: $0.id.retyped(), $1, modified: $0.modified) } }
    var events: [SharingEvent] { records(.events) { SharingEvent(id: $0.id.retyped(), $1, modified: $0.modified) } }
    var referrals: [Referral] { records(.referrals) { Referral(id: $0.id.retyped(), $1, modified: $0.modified) } }
    var rewards: [Reward] { records(.rewards) { Reward(id: $0.id.retyped(), $1, modified: $0.modified) } }
}
