import Foundation
import Kith
import KithAddressBook

/// The five acts, and the times when the server runs.
struct Story: Sendable {
    let say: Narrator
    let folder: DemoFolder
    let server: Server

    func tell(_ document: ListDocument, port: Int) async throws {
        try say.act("The first act: two devices, one list, one server")
        let lists = try await server.up(port: port) { url in
            let lists = try await ListStory(say, url, folder, document)
            try await lists.together()
            return lists
        }
        try await lists.apart()
        let people = try await server.up(port: lists.port) { url in
            try await lists.merge()

            try say.act("The second act: five programs, one address book")
            try await BookStory(say: say, book: lists.phone.addressBook, files: folder.addressBooks).tell()

            try say.act("The third act: three people, three address books")
            let people = try await PeopleStory(say, url, folder, server)
            try await people.meet()
            return people
        }
        try await people.apart()
        try await server.up(port: lists.port) { url in
            try await people.keepUp()

            try say.act("The fourth act: one invitation, to somebody who is not here yet")
            let invitation = try await InvitationStory(say, url, folder, server)
            try await invitation.tell()

            try say.act("The fifth act: one link, and a reward for two")
            try await SharingStory(
                say: say, url: url, folder: folder, server: server, ada: invitation.ada, tablet: invitation.tablet
            ).tell()
        }
        try say.note("The end: every line above was done, and read back.")
    }
}
