import ArgumentParser
import Foundation
import Kith
import KithModel

extension ProfileCommand {
    struct Set: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change fields of your profile. Other fields stay unchanged.",
            discussion: """
                A phone, an email or a site may have its label behind it: --phone "+41 44 668 18 00 home". Options that may \
                be repeated replace all that was there of their kind. An empty text removes what was there.
                """)
        @Option(help: "The given name.") var given: String?
        @Option(help: "The family name.") var family: String?
        @Option(help: "The nickname.") var nick: String?
        @Option(help: "The title before the name, such as Dr.") var title: String?
        @Option(name: .customLong("job"), help: "Your job title.") var jobTitle: String?
        @Option(help: "Your company.") var company: String?
        @Option(help: "Your status, one line.") var status: String?
        @Option(help: "The language, such as de-AT.") var language: String?
        @Option(help: "The country's two letters.") var country: String?
        @Option(help: "The time zone, such as Europe/Vienna.") var timeZone: String?
        @Option(name: .customLong("phone"), help: "A telephone number, and its label. May be repeated.") var phones:
            [String] = []
        @Option(name: .customLong("email"), help: "An email address, and its label. May be repeated.") var emails:
            [String] = []
        @Option(name: .customLong("site"), help: "A web site, and its label. May be repeated.") var sites: [String] = []
        @Option(name: .customLong("address"), help: "A postal address. May be repeated.") var addresses: [String] = []
        @Option(help: ArgumentHelp("A field to empty. May be repeated.", valueName: "field")) var clear:
            [ProfileFieldArgument] = []
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let typed = texts
            let chosen = Profile.allFields.filter { typed[$0.part] != nil }
            let emptied = clear.map(\.field)
            var filled = Profile()
            for field in chosen { try ProfileText.put(typed[field.part] ?? [], into: field, of: &filled) }
            if let field = emptied.first(where: { typed[$0.part] != nil }) {
                throw Failure.usage("“\(field.word)” cannot be emptied and set at once. Say one of the two.")
            }
            guard !chosen.isEmpty || !emptied.isEmpty else {
                throw Failure.usage("Say what to change: --given, --status … See kith help profile set.")
            }
            try await context.client.network.updateProfile { [fields = filled.fields] profile in
                for field in emptied { field.read([:], into: &profile) }
                for field in chosen { field.read(fields, into: &profile) }
            }
            let account = try await context.client.session.account()
            let profile = try await context.client.network.profile()
            return CommandAnswer(profile.ownShape(account)) { profile.ownLines(account, isUnsent: true, colour: $0) }
        }

        /// What the user has typed for each part of the profile.
        private var texts: [Profile.Part: [String]] {
            let singles: [Profile.Part: String?] = [
                .given: given, .family: family, .nick: nick, .title: title, .jobTitle: jobTitle, .company: company,
                .status: status, .language: language, .country: country, .timeZone: timeZone,
            ]
            let lists: [Profile.Part: [String]] = [
                .phones: phones, .emails: emails, .sites: sites, .addresses: addresses,
            ]
            var texts = lists.filter { !$0.value.isEmpty }
            for (part, text) in singles { if let text { texts[part] = [text] } }
            return texts
        }
    }

    struct SetPicture: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "picture", abstract: "Set or remove your profile picture.",
            discussion: """
                JPEG, PNG or WebP: at most \(Limits.smallPicture / 1024) KiB for the small size, \
                \(Limits.largePicture / 1024) KiB for the large one. One file does for both if it is small enough. Kith \
                does not scale pictures: that would mean to decode them.
                """)
        @Argument(help: "A file for both sizes.", completion: .file()) var file: String?
        @Option(help: "The small size.", completion: .file()) var small: String?
        @Option(help: "The large size.", completion: .file()) var large: String?
        @Flag(help: "Take the picture away.") var remove = false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            let isPair = small != nil && large != nil && file == nil && !remove
            let isSingle = small == nil && large == nil && (file != nil) != remove
            if !isPair && !isSingle {
                throw ValidationError("Name one file, or both --small FILE and --large FILE, or use --remove.")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            if remove {
                try await context.client.network.removePicture()
            } else if let small = small ?? file, let large = large ?? file {
                let bytes = try [small, large].map { try NamedFile($0).read(upTo: Limits.largePicture + 1) }
                if file != nil && bytes[0].count > Limits.smallPicture {
                    throw Failure(
                        .usage, "invalid",
                        "\(large) has more than \(Limits.smallPicture / 1024) KiB, too many for the small size. Name a smaller "
                            + "one beside it: --small FILE --large \(large.shellWord)")
                }
                try await context.client.network.setPicture(small: bytes[0], large: bytes[1])
            }
            let account = try await context.client.session.account()
            let profile = try await context.client.network.profile()
            return CommandAnswer(
                profile.ownShape(account), remove ? "Your profile has no picture." : "Your profile has a new picture.")
        }
    }
}
