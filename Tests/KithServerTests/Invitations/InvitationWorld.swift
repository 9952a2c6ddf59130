import Foundation
import KithModel
import KithServer
import Testing

/// A town whose people invite each other, with a queue of messages.
struct InvitationWorld {
    let town: Town
    let queue: MessageQueue
    private let random: RandomBytes
    private let sendsSMS: Bool
    private let countries: PhoneCountries

    init(sendsSMS: Bool = false, limits: MessageLimits = MessageLimits(), town: Town? = nil) throws {
        let random = RandomBytes(seed: 3)
        (self.random, self.sendsSMS) = (random, sendsSMS)
        self.town = try town ?? Town()
        countries = try PhoneCountries([], plan: TestPlan())
        queue = MessageQueue(
            composer: try MessageComposer(MessageSettings()), limits: limits, address: { "https://kith.example" },
            random: random)
    }

    /// A world, the devices of Ada and Ben, and a list that Ada has made.
    static func withList(_ town: Town? = nil) throws -> (InvitationWorld, Phone, Phone, FeedID) {
        let world = try InvitationWorld(town: town)
        var ada = try world.person("Ada")
        let ben = try world.person("Ben")
        let list: FeedID = world.town.id()
        try ada.sync(ada.create(list))
        return (world, ada, ben, list)
    }

    var dependencies: InvitationDependencies {
        let sends = sendsSMS
        return InvitationDependencies(
            messages: queue, link: { "https://kith.example/v1/invitations/\($0)" }, sendsSMS: { _ in sends },
            canonical: countries.canonical, random: random)
    }

    var service: InvitationService {
        InvitationService(database: town.database, signals: .none, dependencies: dependencies)
    }

    func person(_ name: String) throws -> Phone { try town.person(name) }

    /// Does what the background job does.
    @discardableResult func work() throws -> Signals {
        try InvitationService.workNow(dependencies, at: town.now, on: town.database)
    }

    func prove(_ identity: String, by phone: Phone) throws { try town.prove(identity, by: phone) }

    func messages(_ kind: MessageKind = .invitation) throws -> [String] { try town.messages(kind) }

    /// The secret of the link in the last message.
    func lastSecret() throws -> String {
        let text = try messages().last ?? ""
        return try #require(text.firstMatch(of: /v1\/invitations\/([\w-]+)/).map { String($0.1) })
    }

    /// Lets the gateway refuse the last message, as it does for a bounce.
    func bounce() throws {
        let (dependencies, now) = (dependencies, town.now)
        try fail(MessageFailure(.refused, "550 no such user")) { message, transaction in
            _ = try InvitationService.noteFailure(message, dependencies, at: now, in: transaction)
        }
    }

    /// Lets the last message fail as another process does, which takes a bounce that has come back.
    func bounceElsewhere(_ failure: MessageFailure) throws {
        let (dependencies, now) = (dependencies, town.now)
        try fail(failure) { message, transaction in
            try InvitationService.scheduleFailure(message, dependencies, at: now, in: transaction)
        }
    }

    private func fail(
        _ failure: MessageFailure, _ note: @escaping @Sendable (FailedMessage, any Transaction) throws -> Void
    ) throws {
        try town.database.writeNow { [queue] transaction in
            let last = try transaction.query("SELECT id FROM message ORDER BY created DESC, id DESC LIMIT 1")
            let id: MessageID = try #require(try last.first?.id(0))
            if let failed = try queue.fail(id, failure, in: transaction) { try note(failed, transaction) }
        }
    }
}

extension Phone {
    /// A new invitation.
    func invite(
        _ recipient: String, _ purpose: Invitation.Purpose = .connect, id: InvitationID? = nil, _ more: Fields = [:]
    ) -> Mutation {
        var fields: Fields = [
            "recipient": .text(recipient), "requested": .integer(town.now.milliseconds),
        ]
        fields.merge(purpose.fields) { $1 }
        fields.merge(more) { $1 }
        let id: InvitationID = id ?? town.id()
        return mutation(home, .invitations, id.retyped(), .set(fields.filter { $0.value != .null }))
    }

    /// An edit of an invitation in the replica.
    func edit(_ invitation: Invitation, _ fields: Fields) -> Mutation {
        let id: RecordID<Never> = invitation.id.retyped()
        return mutation(home, .invitations, id, .set(fields), seen: replica[home]?[id]?.sequence ?? 0)
    }

    func resend(_ invitation: Invitation) -> Mutation {
        edit(invitation, ["requested": .integer(town.now.milliseconds), "isRevoked": false])
    }

    func answer(_ invitation: Invitation, _ answer: Invitation.Answer) -> Mutation {
        edit(invitation, ["answer": .text(answer.rawValue)])
    }

    func delete(_ invitation: Invitation) -> Mutation {
        let id: RecordID<Never> = invitation.id.retyped()
        return mutation(home, .invitations, id, .delete, seen: replica[home]?[id]?.sequence ?? 0)
    }

    /// The invitations in the replica, oldest first.
    var invitations: [Invitation] {
        (replica[home] ?? [:]).values.filter { $0.collection == .invitations }.sorted { $0.id < $1.id }
            .compactMap { Invitation(id: $0.id.retyped(), $0.fields ?? [:], modified: $0.modified) }
    }

    /// The only invitation in the replica.
    func invitation() throws -> Invitation {
        #expect(invitations.count == 1)
        return try #require(invitations.first)
    }
}
