import ArgumentParser
import Foundation
import Kith
import KithModel

/// Sharing a list by link.
extension ListsCommand {
    struct Share: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "share", abstract: "Make a link by which people join a list.")
        @OptionGroup var target: ListArgument
        @Option(name: .customLong("as"), help: "What they may do: viewer or editor.") var role = Role.editor
        @Option(help: "How long the link is good for: 12h, 14d, 2w …") var expires: Span?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if role == .owner {
                throw ValidationError("A link makes viewers and editors. To make someone owner: kith lists hand-over.")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.findOwn(context)
            let link = try await context.lists.invite(to: list.id, as: role, expiresIn: expires?.duration)
            return link.answer("Whoever accepts this link joins “\(list.name)” as \(role.rawValue)")
        }
    }

    struct Publish: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "public", abstract: "Make a link by which anyone can read a list, without joining.",
            discussion: """
                With --ticks they can also tick items on the web page of the link. On a wish list, a tick says “I give this”: \
                others with the link see that the item is taken, and the people in the list do not. So do not open such a link \
                yourself.
                """)
        @OptionGroup var target: ListArgument
        @Flag(name: .customLong("ticks"), help: "Whoever has the link can also tick items.") var canTick = false
        @Option(help: "How long the link is good for: 12h, 14d, 2w … Without it: until it is revoked.")
        var expires: Span?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.findOwn(context)
            let link = try await context.lists.publish(list.id, canTick: canTick, expiresIn: expires?.duration)
            let rights = !canTick ? "read" : list.isWishList ? "choose presents from" : "read and tick"
            return link.answer("Whoever has this link can \(rights) “\(list.name)”")
        }
    }

    struct Links: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "links", abstract: "Show the live links of a list.")
        @OptionGroup var target: ListArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.findOwn(context)
            let links = try await context.lists.links(of: list.id)
            return CommandAnswer(["links": links.map(\.shape)]) { colour in
                if links.isEmpty { return ["No links. Make one: kith lists share LIST"] }
                let ids = ShortIDs(links.map(\.id))
                return Table(header: ["For", "Joined", "Made", "Expires", "Id"], isNumbered: true, links) { link in
                    [
                        Table.Cell(link.purpose),
                        link.isPublic ? "" : .number(link.accepted), Table.Cell(link.created.date.day),
                        Table.Cell(link.expires?.date.day ?? "never"), Table.Cell(ids[link.id], .faint),
                    ]
                }.lines(colour: colour)
            }
        }
    }

    struct Revoke: OnlineCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a link: nobody can join or read by it any more.")
        @OptionGroup var target: ListArgument
        @Argument(help: "The link: its number in “kith lists links”, or the start of its id.") var link: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.findOwn(context)
            let link = try await ListFinder(context.client).link(link, of: list)
            try await context.lists.revoke(link.id, of: list.id)
            let rest =
                link.isPublic
                ? "Nobody can read “\(list.name)” by it any more." : "Those who joined by it stay in “\(list.name)”."
            return CommandAnswer(["revoked": link.shape], "The link is revoked. \(rest)")
        }
    }

    struct Preview: LinkCommand {
        static let configuration = CommandConfiguration(
            commandName: "preview", abstract: "Show what a link offers, before accepting it.")
        @Argument(help: "The link, or the token at its end.") var link: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try GivenLink.check(link, for: .list, .publicList)
            let preview = try await context.lists.preview(link: link)
            return CommandAnswer(
                [
                    "list": preview.list, "name": preview.name, "role": preview.role, "public": preview.isPublic,
                    "items": preview.items, "members": preview.members, "expires": preview.expires?.date,
                ],
                "“\(preview.name)”: \(preview.items.things("item")), \(preview.members.things("member")). "
                    + (preview.isPublic
                        ? "Anyone with the link can read it."
                        : "Join as \(preview.role.rawValue): kith lists accept LINK"))
        }
    }

    struct Accept: LinkCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Join the list that a link invites to.")
        @Argument(help: "The link, or the token at its end.") var link: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try GivenLink.check(link, for: .list)
            let list = try await context.lists.accept(link: link)
            try await ListFinder(context.client).noteNamesake(of: list, on: context.console)
            let summary = try await context.lists.summary(of: list)
            return summary.answer("You are in “\(list.name)” as \(list.role.rawValue).")
        }
    }

    struct Read: LinkCommand {
        static let configuration = CommandConfiguration(
            commandName: "read",
            abstract: "Read a list by its public link, without joining and without a session.")
        @Argument(help: "The link, or the token at its end.") var link: String
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try GivenLink.check(link, for: .publicList)
            let list = try await context.lists.publicList(link: link)
            return CommandAnswer(list.shape) { colour in
                let open = list.items.count { !$0.ticked }
                let table = Table(list.items) { item in
                    [
                        item.ticked ? Table.Cell("[x]", .good) : "[ ]", Table.Cell(item.title),
                        item.count == 1 ? "" : Table.Cell("×\(item.count)"), Table.Cell(item.category ?? "", .faint),
                        Table.Cell(item.comment ?? "", .faint),
                    ]
                }
                return [
                    TextStyle.strong.applied(to: list.name.printable, colour: colour)
                        + "  \(open) of \(list.items.count) open, as of \(list.modified.date.day)"
                ] + table.lines(colour: colour)
            }
        }
    }
}

extension PublicList {
    fileprivate var shape: Shape { ["name": name, "modified": modified.date, "items": items.map(\.shape)] }
}

extension PublicList.Item {
    fileprivate var shape: Shape {
        ["title": title, "count": count, "ticked": ticked, "category": category, "comment": comment]
    }
}

extension ListLink {
    fileprivate var shape: Shape {
        [
            "id": id, "list": list, "role": role, "public": isPublic, "canTick": canTick ?? false,
            "created": created.date, "expires": expires?.date, "accepted": accepted, "url": url, "token": token,
        ]
    }

    /// Who uses the link, and for what.
    fileprivate var purpose: String {
        if !isPublic { return role.rawValue }
        return canTick ?? false ? "anyone, ticking" : "anyone, reading"
    }

    /// The answer of a command that created the link. The link is alone on the last line, so that it is easy to copy.
    fileprivate func answer(_ sentence: String) -> CommandAnswer {
        let until = expires.map { ", until \($0.date.day):" } ?? ":"
        return CommandAnswer(["link": shape], sentence + until, url ?? token ?? id.description)
    }
}
