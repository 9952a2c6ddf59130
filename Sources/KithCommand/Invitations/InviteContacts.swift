import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel

/// The commands that invite contacts, and those for messages that the user sends.
extension InviteCommand {
    struct Candidates: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "candidates",
            abstract: "Show the contacts who can be invited.",
            discussion: """
                These are the contacts with an email address or a mobile number who are not on the service, according to \
                the last “kith discover”.
                """)
        @OptionGroup var region: RegionOption
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await region.remember(context)
            _ = try await context.addressBook.loadContacts(noting: context.console)
            let candidates = try await context.client.discovery.candidates()
            let invited = Set(try await context.client.invitations.all(.sent).compactMap(\.recipient))
            let shapes = candidates.map { candidate -> Shape in
                [
                    "contact": candidate.contact.id, "name": candidate.contact.displayName,
                    "recipients": candidate.recipients.map(\.text),
                    "isInvited": candidate.recipients.contains(where: invited.contains),
                ]
            }
            return CommandAnswer(["candidates": shapes]) { colour in
                if candidates.isEmpty {
                    return [
                        "No contact can be invited: all are on the service, or have neither an email nor a mobile number."
                    ]
                }
                let table = Table(header: ["Name", "By", ""], candidates) { candidate in
                    let isInvited = candidate.recipients.contains(where: invited.contains)
                    return [
                        Table.Cell(candidate.contact.displayName),
                        Table.Cell(candidate.recipients.map(\.shown).joined(separator: ", ")),
                        isInvited ? "invited" : "",
                    ]
                }
                return table.lines(colour: colour) + ["To invite one: kith invite contact NAME"]
            }
        }
    }

    struct Contact: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "contact", abstract: "Invite a contact of the address book.")
        @Argument(help: "The contact: its name, a number or an email.") var contact: String
        @Option(help: "The email or the number to use, if the contact has several.") var by: String?
        @OptionGroup var offer: InvitationOffer
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let book = context.addressBook
            let found = try book.contact(
                named: contact, among: try await book.loadContacts(noting: context.console))
            guard let candidate = context.client.discovery.candidate(found) else {
                throw try await refusal(of: found, context)
            }
            let recipient = try chosen(candidate, context)
            let purpose = try await offer.purpose(context)
            return try await InvitationOffer.answer(context) {
                let invitation = try await context.client.invitations.invite(
                    candidate, at: recipient, to: purpose, text: offer.text, language: offer.language)
                return [RecipientResult(recipient: recipient, result: .success(invitation))]
            }
        }

        /// The reason why a contact cannot be invited.
        private func refusal(of contact: KithAddressBook.Contact, _ context: CommandContext) async throws -> Failure {
            let name = contact.displayName
            guard let first = contact.accounts.first else {
                return Failure(
                    .refused, "noRecipient", "\(name) has neither an email address nor a mobile number.".printable)
            }
            for account in contact.accounts {
                let known = try await context.client.network.contact(account)
                guard known?.relation == .connected else { continue }
                return Failure(
                    .refused, KithError.Code.alreadyConnected.rawValue,
                    "\(name) is already connected with you. To invite them to a list: kith lists share LIST".printable)
            }
            return Failure(
                .refused, "alreadyThere",
                "\(name) is already on the service. To ask them: kith network connect \(first)".printable)
        }

        private func chosen(_ candidate: InvitationCandidate, _ context: CommandContext) throws -> Identity {
            if let by {
                let wanted = [
                    EmailAddress(by).map(Identity.email),
                    context.addressBook.phoneNumber(by).e164.map(Identity.phone),
                ]
                if let found = candidate.recipients.first(where: { wanted.contains($0) }) { return found }
                throw Failure.notFound(
                    "\(candidate.contact.displayName) cannot be invited by “\(by)”. Choose from:",
                    candidates: candidate.recipients.map(\.shown))
            }
            guard candidate.recipients.count == 1 else {
                throw Failure(
                    .notFound, "ambiguous",
                    "\(candidate.contact.displayName) has several addresses or numbers. Choose one: --by",
                    candidates: candidate.recipients.map(\.shown))
            }
            return candidate.recipients[0]
        }
    }

    struct Compose: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "compose",
            abstract: "Make an invitation that you send yourself, and print its text with the link.",
            discussion: "Then report whether you have sent it: kith invite report INVITATION [--not-sent]")
        @Argument(help: "The email address or the mobile number.") var recipient: String
        @OptionGroup var offer: InvitationOffer
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let identity = try TypedRecipient(recipient).identity(in: context.addressBook)
            let purpose = try await offer.purpose(context)
            let composed = try await context.sending {
                try await context.client.invitations.compose(
                    identity, to: purpose, text: offer.text, language: offer.language)
            }
            context.console.note(
                "Send this message yourself, then report it: kith invite report \(composed.recipient)".printable)
            // A message to a number has no subject.
            let subject = composed.subject.isEmpty ? nil : composed.subject
            return CommandAnswer([
                "invitation": composed.invitation.shape, "recipient": composed.recipient, "subject": subject,
                "text": composed.text, "link": composed.link,
            ]) { _ in
                ["To: \(composed.recipient)".printable]
                    + (subject.map { ["Subject: \($0)".printable] } ?? []) + [""]
                    + composed.text.printableLines
            }
        }
    }

    struct Report: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "report",
            abstract: "Report whether you have sent an invitation of “kith invite compose”.")
        @Argument(help: "The email, the number or the name, or the start of the invitation's id.") var invitation:
            String
        @Flag(help: "You have not sent it. It is revoked.") var notSent = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let found = try await context.client.invitation(
                named: invitation, where: { $0.delivery == .device && $0.direction == .sent },
                preferring: \.isUnreported)
            try await context.sending {
                try await context.client.invitations.report(found.id, wasSent: !notSent)
            }
            let now = try await context.client.invitations.invitation(found.id)
            var sentence = notSent ? "The invitation is revoked." : "Noted: \(found.called) is invited."
            if let now, now.status == .accepted {
                sentence = "Nothing to report: \(now.called) has already accepted the invitation."
            }
            return CommandAnswer(["id": found.id, "invitation": now?.shape], sentence)
        }
    }
}
