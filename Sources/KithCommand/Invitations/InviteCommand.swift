public import ArgumentParser
import Foundation
import Kith
public import KithModel

/// `kith invite`: invites people who are not on the service yet, and answers invitations.
struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Invite people by email or SMS, and answer invitations.",
        discussion: """
            An INVITATION is the email, the number or the name of the other person, or the start of its id. Without a \
            connection, an invitation is sent later. You cannot see whether the other person has an account, or has declined.
            """,
        groupedSubcommands: [
            CommandGroup(name: "Looking", subcommands: [List.self, Candidates.self]),
            CommandGroup(
                name: "Inviting",
                subcommands: [
                    Email.self, Phone.self, Contact.self, Compose.self, Report.self,
                    InvitationActionCommand<Resend>.self, InvitationActionCommand<Revoke>.self,
                ]),
            CommandGroup(
                name: "Answering",
                subcommands: [
                    InvitationActionCommand<Accept>.self, InvitationActionCommand<Decline>.self,
                    InvitationActionCommand<Remove>.self, Open.self,
                ]),
        ],
        defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the invitations that you have sent and received. (Also: kith invite)")
        @Flag(help: "Only those of one direction.") var direction: Invitation.Direction?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let invitations = try await context.client.invitations.all(direction)
            let pending = try await context.client.invitations.pending().count
            let names = try await context.client.namesOfLists()
            let hint =
                pending > 0
                ? ["\(pending.things("invitation")) for you. To answer: kith invite accept NAME, or decline"] : []
            return CommandAnswer(["invitations": invitations.map(\.shape), "pending": pending]) {
                invitations.lines(
                    ifNone: "No invitations. Send one: kith invite email ADDRESS", naming: names, colour: $0)
                    + invitations.reportAdvice + hint
            }
        }
    }

    struct Email: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "email",
            abstract: "Invite people by email.",
            discussion: "At most \(Limits.invitations) at once. If one cannot be invited, the others still are.")
        @Argument(help: "The email addresses.") var addresses: [String]
        @OptionGroup var offer: InvitationOffer
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await offer.invite(addresses.map { try TypedRecipient($0).email() }, context)
        }
    }

    struct Phone: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "phone",
            abstract: "Invite people by SMS, if the server sends SMS.",
            discussion: "If it does not, send the message yourself: kith invite compose")
        @Argument(help: "The mobile numbers.") var numbers: [String]
        @OptionGroup var region: RegionOption
        @OptionGroup var offer: InvitationOffer
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            // A command that fails stores nothing.
            let recipients = try numbers.map {
                try TypedRecipient($0).mobile(in: context.addressBook, dialledIn: region.region)
            }
            let answer = try await offer.invite(recipients, context)
            try await region.remember(context)
            return answer
        }
    }

    struct Open: LinkCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Show what the link of an invitation offers; with --accept, accept it.")
        @Argument(help: "The link, or the secret at its end.") var link: String
        @Flag(help: "Accept the invitation.") var accept = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try GivenLink.check(link, for: .invitation)
            if accept {
                let list = try await context.client.invitations.accept(link: link)
                let result = list.map { "You are in “\($0.name)” as \($0.role.rawValue)." } ?? "Accepted."
                return CommandAnswer(["list": list?.shape()], result)
            }
            let preview = try await context.client.invitations.preview(link: link)
            let who = preview.inviter ?? "Somebody"
            let what = preview.list.map { " to “\($0)” as \(preview.role?.rawValue ?? "viewer")" } ?? ""
            return CommandAnswer(
                [
                    "inviter": preview.inviter, "list": preview.list, "role": preview.role,
                    "connects": preview.connects, "text": preview.text, "expires": preview.expires.date,
                ]
            ) { _ in
                [
                    "\(who) invites you\(what), until \(preview.expires.date.day).".printable,
                    preview.text?.printable,
                    preview.connects ? "Accepting also connects the two of you." : nil,
                    "To accept: kith invite open --accept LINK",
                ].compactMap(\.self)
            }
        }
    }
}

extension Invitation.Direction: EnumerableFlag {
    /// The help for the flag of a direction.
    public static func help(for value: Self) -> ArgumentHelp? {
        value == .sent ? "Those that you have sent." : "Those that you have received."
    }
}
