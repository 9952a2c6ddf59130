import ArgumentParser
import Kith
import KithModel

/// The options for the purpose and the text of an invitation.
struct InvitationOffer: ParsableArguments {
    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("Invite to this list, which you own.", valueName: "list"),
        completion: .custom(ListNames.complete))
    var list: String?
    @Option(name: .customLong("as"), help: "The role in the list: viewer or editor (editor).") var role: Role?
    @Flag(help: "Invite only to the service: accepting does not connect the two of you.") var joinOnly = false
    @Option(help: "The text of the message. Without it: the text of the service.") var text: String?
    @Option(help: "The language of the message, such as de or pt-BR. Without it: that of your profile.")
    var language: String?

    func validate() throws {
        if role == .owner { throw ValidationError("An invitation can give the role viewer or editor.") }
        if joinOnly && list != nil { throw ValidationError("--to and --join-only cannot be used together.") }
        if role != nil && list == nil { throw ValidationError("--as needs --to, the list of the role.") }
    }

    func purpose(_ context: CommandContext) async throws -> Invitation.Purpose {
        if let list { return .list(try await ListFinder(context.client).list(list).id, role ?? .editor) }
        return joinOnly ? .join : .connect
    }

    /// Invites several recipients, and answers for a command.
    func invite(_ recipients: [Identity], _ context: CommandContext) async throws -> CommandAnswer {
        let purpose = try await self.purpose(context)
        return try await Self.answer(context) {
            try await context.client.invitations.invite(recipients, to: purpose, text: text, language: language)
        }
    }

    /// The answer of a command that invites people. It is made after the edits were sent, because the server may refuse them.
    static func answer(
        _ context: CommandContext, inviting invite: () async throws -> [RecipientResult<Invitation>]
    ) async throws -> CommandAnswer {
        let results = try await context.sending(invite)
        var rows: [(RecipientResult<Invitation>, Invitation?)] = []
        for one in results {
            let id = try? one.result.get().id
            var current: Invitation?
            if let id { current = try await context.client.invitations.invitation(id) }
            rows.append((one, current))
        }
        if rows.count == 1, case .failure(let error) = rows[0].0.result {
            guard let advice = Self.advice(on: error, inviting: rows[0].0.recipient) else { throw error }
            throw Failure(ExitStatus(error.code), error.code.rawValue, error.sentence + advice)
        }
        let shapes = rows.map { result, invitation -> Shape in
            var error: KithError?
            if case .failure(let failed) = result.result { error = failed }
            return [
                "recipient": result.recipient.text, "invitation": invitation?.shape,
                "error": error?.shape,
            ]
        }
        let isWhole = rows.allSatisfy { $0.1 != nil }
        let names = try await context.client.namesOfLists()
        return CommandAnswer(["results": shapes], status: isWhole ? .done : .refused) { [rows] _ in
            rows.map { result, invitation in
                switch result.result {
                case .success:
                    let how =
                        invitation?.notified == nil ? " The message is sent when the server has the invitation." : ""
                    return "Invited \(result.recipient.shown) \(invitation?.offer(naming: names) ?? "").\(how)"
                        .printable
                case .failure(let error):
                    let advice = Self.advice(on: error, inviting: result.recipient) ?? ""
                    return "Not invited: \(result.recipient.shown). \(error.sentence)\(advice)".printable
                }
            }
        }
    }

    /// The command that sends an open invitation again, for the end of a sentence; nil for other errors.
    private static func advice(on error: KithError, inviting recipient: Identity) -> String? {
        error.code == .alreadyInvited ? " The command: kith invite resend \(recipient.shown.shellWord)" : nil
    }
}
