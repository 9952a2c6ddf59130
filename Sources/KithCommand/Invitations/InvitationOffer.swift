import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithModel

/// What an invitation offers, and its words.
struct InvitationOffer: ParsableArguments {
    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("Invite to this list, which you own.", valueName: "list"),
        completion: .custom(ListNames.complete))
    var list: String?
    @Option(name: .customLong("as"), help: "What they may do in the list: viewer or editor.") var role = Role.editor
    @Flag(help: "Invite to the service only: accepting does not connect the two of you.") var joinOnly = false
    @Option(help: "The text that goes out with the link. Without it: the text of the service.") var text: String?
    @Option(help: "The language of the message, such as de or pt-BR. Without it: that of your profile.")
    var language: String?

    func validate() throws {
        if role == .owner { throw ValidationError("An invitation makes viewers and editors.") }
        if joinOnly && list != nil { throw ValidationError("Say either --to or --join-only.") }
    }

    func purpose(_ context: CommandContext) async throws -> Invitation.Purpose {
        if let list { return .list(try await context.list(list).id, role) }
        return joinOnly ? .join : .connect
    }
}

extension CommandContext {
    /// The email address that a user has typed.
    func email(_ text: String) throws -> Identity {
        guard let address = EmailAddress(text) else {
            throw Failure(.usage, "invalid", "“\(text)” is no email address.")
        }
        return .email(address)
    }

    /// The mobile number that a user has typed.
    func mobile(_ text: String) throws -> Identity {
        let number = client.addressBook.phoneNumber(text)
        guard let e164 = number.e164 else {
            throw Failure(
                .usage, "invalid",
                "“\(text)” is no complete number. Write it with its country code, or name the --region.")
        }
        guard [.mobile, .fixedLineOrMobile, .unknown].contains(number.kind) else {
            throw Failure(.usage, "invalid", "“\(text)” is no mobile number: no SMS arrives there.")
        }
        return .phone(e164)
    }

    /// The answer of a command that invites somebody. It is given after sending, because the server may refuse.
    func answerInviting(_ invite: () async throws -> [InvitationResult]) async throws -> CommandAnswer {
        let before = try await client.rejections().count
        let results = try await invite()
        try await send(rejectionsBefore: before)
        var rows: [(InvitationResult, Invitation?)] = []
        for one in results {
            let id = try? one.result.get().id
            var current: Invitation?
            if let id { current = try await client.invitations.invitation(id) }
            rows.append((one, current))
        }
        if rows.count == 1, case .failure(let error) = rows[0].0.result { throw error }
        let shapes = rows.map { result, invitation -> Shape in
            var error: KithError?
            if case .failure(let failed) = result.result { error = failed }
            return [
                "recipient": result.recipient.text, "invitation": invitation?.shape(),
                "error": error.map { ["code": $0.code.rawValue, "sentence": $0.sentence] as Shape },
            ]
        }
        let isWhole = rows.allSatisfy { $0.1 != nil }
        return CommandAnswer(["results": shapes], status: isWhole ? .done : .refused) { [rows] _ in
            rows.map { result, invitation in
                switch result.result {
                case .success:
                    let how = invitation?.notified == nil ? " The message goes out when the server has it." : ""
                    return "Invited \(result.recipient.shown) \(invitation?.offer ?? "").\(how)".printable
                case .failure(let error): return "Not invited: \(result.recipient.shown). \(error.sentence)".printable
                }
            }
        }
    }
}
