import Foundation
import KithModel
import Testing

import Kith

@Suite("Sharing on a device") struct SharingTests {
    private let phone: Phone

    init() throws { phone = try Phone(address: "https://kith.example") }

    private var sharing: Sharing { phone.client.sharing }

    // MARK: Shareables

    @Test("The default shareable is made at its first use, offline, and is the same each time") func defaultShareable()
        async throws
    {
        let mine = try await sharing.shareable(in: "friends")
        #expect(mine.key == nil && mine.programme == "friends")
        #expect(mine.code.text.wholeMatch(of: /[2-9B-Z]{4}-[2-9B-Z]{4}/) != nil)
        #expect(try await sharing.shareable(in: "friends") == mine)
        #expect(try await sharing.shareable(in: "friends", key: "") == mine)
        #expect(try await phone.waiting() == 1)
        #expect(phone.server.requests.isEmpty)
        let recipe = try await sharing.shareable(in: "friends", key: "recipe-7")
        #expect(recipe.id != mine.id && recipe.code != mine.code && recipe.key == "recipe-7")
        #expect(try await sharing.shareable(in: "winter").id != mine.id)
        #expect(try await sharing.shareables().count == 3)
    }

    @Test("The first run shares without an account, and a later run has the session and the link of the first one")
    func laterRun() async throws {
        let folder = TemporaryFolder()
        let first = try Phone(phone.server, file: folder.replica, seed: 2)
        let mine = try await first.client.sharing.shareable(in: "friends")
        try await first.client.syncNow()
        #expect(try await first.client.session.state() == .anonymous)
        let later = try Phone(phone.server, file: folder.replica, seed: 3, credentials: first.credentials)
        #expect(try await later.client.sharing.shareable(in: "friends").id == mine.id)
        try await later.client.syncNow()
        #expect(try await later.client.sharing.isReady(mine.id))
        #expect(try await later.client.session.account() == first.client.session.account())
        #expect(phone.server.requests.count { $0.path == "/v1/sessions" } == 1)
    }

    @Test("Calls at the same time make one shareable") func atOnce() async throws {
        let sharing = sharing
        let made = try await withThrowingTaskGroup(of: ShareableID.self) { group in
            for _ in 0..<20 { group.addTask { try await sharing.shareable(in: "friends").id } }
            return try await group.reduce(into: Set<ShareableID>()) { $0.insert($1) }
        }
        #expect(made.count == 1)
        #expect(try await sharing.shareables().count == 1)
    }

    @Test("Two devices that have each made one while offline show the same one, and both codes stay") func twoDevices()
        async throws
    {
        try await phone.client.syncNow()
        let account = try present(await phone.client.session.account())
        let tablet = try Phone(phone.server, seed: 2)
        let token = try #require(try phone.credentials.token(for: account))
        _ = try await tablet.client.session.activate(token: token)
        let one = try await sharing.shareable(in: "friends")
        let other = try await tablet.client.sharing.shareable(in: "friends")
        #expect(one.code != other.code)
        for device in [phone, tablet, phone] { try await device.client.syncNow() }
        let (here, there) = (
            try await sharing.shareable(in: "friends"), try await tablet.client.sharing.shareable(in: "friends")
        )
        #expect(here.id == min(one.id, other.id) && here == there)
        #expect(try await Set(sharing.shareables().map(\.code)) == [one.code, other.code])
    }

    @Test("A label, a content and data are changed one by one, and removed by an empty text") func updating()
        async throws
    {
        let id = try await sharing.shareable(in: "friends").id
        try await sharing.update(id, label: "For friends", content: "Try it!", data: #"{"id": 7}"#)
        try await sharing.update(id, content: "")
        let changed = try await sharing.shareable(id)
        #expect(changed?.label == "For friends" && changed?.content == nil && changed?.data == #"{"id": 7}"#)
        #expect(await code { try await sharing.update(id, data: "[1]") } == .invalid)
        #expect(await code { try await sharing.update(id, label: String(repeating: "x", count: 201)) } == .invalid)
        #expect(await code { try await sharing.update(ShareableID(UUID()), label: "x") } == .notFound)
        #expect(try await sharing.shareable(id) == changed)
    }

    @Test("A list is named by its public link or by the link's token, which is what is stored") func lists()
        async throws
    {
        let id = try await sharing.shareable(in: "friends").id
        for link in ["https://k.example/v1/public/abc-DEF_1", "kith://k.example/v1/public/abc-DEF_1", "abc-DEF_1"] {
            try await sharing.update(id, list: link)
            #expect(try await sharing.shareable(id)?.list == "abc-DEF_1")
        }
        #expect(await code { try await sharing.update(id, list: String(repeating: "x", count: 65)) } == .invalid)
        try await sharing.update(id, label: "Wishes")
        #expect(try await sharing.shareable(id)?.list == "abc-DEF_1")
        try await sharing.update(id, list: "")
        #expect(try await sharing.shareable(id)?.list == nil)
    }

    @Test(
        "A link that is no public link of a list is refused, so that its secret is not in the record",
        arguments: ["links/abc", "invitations/abc", "public/", "public/abc/more"])
    func otherLists(path: String) async throws {
        let id = try await sharing.shareable(in: "friends").id
        #expect(await code { try await sharing.update(id, list: "https://k.example/v1/\(path)") } == .invalid)
        #expect(await code { try await sharing.update(id, list: "two words") } == .invalid)
        #expect(try await sharing.shareable(id)?.list == nil)
    }

    @Test("The shareable that was selected last is the selected one, even if the clock has not moved") func selecting()
        async throws
    {
        let standard = try await sharing.selected(in: "friends")
        #expect(try await sharing.shareables() == [standard])
        let recipe = try await sharing.shareable(in: "friends", key: "recipe-7")
        try await sharing.select(recipe.id)
        #expect(try await sharing.selected(in: "friends").id == recipe.id)
        try await sharing.select(standard.id)
        #expect(try await sharing.selected(in: "friends").id == standard.id)
        try await sharing.remove(standard.id)
        #expect(try await sharing.selected(in: "friends").id == recipe.id)
        #expect(try await sharing.selected(in: "winter").id != recipe.id)
    }

    @Test("Within a write, a shareable is as the write has left it so far; a removed or unknown one is none")
    func reading() async throws {
        let (made, labelled, removed, unknown) = try await phone.client.write { changes in
            let sharing = changes.sharing
            let id = try sharing.shareable(in: "friends").id
            let made = try sharing.shareable(id)
            try sharing.update(id, label: "For friends")
            let labelled = try sharing.shareable(id)
            try sharing.remove(id)
            return (made, labelled, try sharing.shareable(id), try sharing.shareable(ShareableID(UUID())))
        }
        #expect(made?.programme == "friends" && made?.label == nil)
        #expect(labelled?.id == made?.id && labelled?.label == "For friends")
        #expect(removed == nil && unknown == nil)
        #expect(try await sharing.shareables().isEmpty)
    }

    @Test("An account has at most as many shareables as the limit says") func limit() async throws {
        try await phone.client.write { changes in
            for number in 1...Limits.shareables { try changes.sharing.shareable(in: "friends", key: "\(number)") }
        }
        #expect(await code { _ = try await sharing.shareable(in: "friends") } == .tooMany)
        #expect(try await sharing.shareable(in: "friends", key: "7").key == "7")
    }

    // MARK: Codes

    @Test("Trap: codes – each fault of a chosen code has an error of its own on the device") func ownCodes()
        async throws
    {
        let id = try await sharing.shareable(in: "friends").id
        try await sharing.setCode("ada tea", of: id)
        #expect(try await sharing.shareable(id)?.code.text == "ADA-TEA")
        #expect(await code { try await sharing.setCode("tränen", of: id) } == .codeIllegal)
        #expect(await code { try await sharing.setCode("ab", of: id) } == .codeLength)
        let recipe = try await sharing.shareable(in: "friends", key: "recipe-7").id
        let taken = await #expect(throws: KithError.self) { try await sharing.setCode("ADATEA", of: recipe) }
        #expect(taken?.code == .codeTaken && taken?.sentence.hasPrefix("This is already your code") == true)
        #expect(await code { try await sharing.setCode("ADA-TEA", of: ShareableID(UUID())) } == .notFound)
        #expect(try await sharing.shareable(id)?.code.text == "ADA-TEA")
    }

    @Test("A code that somebody else has comes back as a rejection, and the shareable has its former code")
    func takenCode() async throws {
        let mine = try await sharing.shareable(in: "friends")
        try await phone.client.syncNow()
        let taken = try ShareCode("ADA-TEA")
        phone.server.change { $0.takenCodes = [taken] }
        try await sharing.setCode("Ada-Tea", of: mine.id)
        try await phone.client.syncNow()
        #expect(try await sharing.shareable(mine.id)?.code.text == mine.code.text)
        let rejection = try #require(try await phone.client.rejections().first)
        #expect(rejection.code == .codeTaken && rejection.sentence == "Somebody else has this code.")
    }

    @Test("A code that was chosen offline for a new shareable is refused alone", arguments: [false, true])
    func takenCodeOffline(isShared: Bool) async throws {
        let taken = try ShareCode("ADA-TEA")
        phone.server.change { $0.takenCodes = [taken] }
        let mine = try await sharing.shareable(in: "friends")
        if isShared { try await sharing.share(mine.id, by: .sheet) }
        try await sharing.setCode("Ada-Tea", of: mine.id)
        try await sharing.update(mine.id, label: "For friends")
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().map(\.code) == [.codeTaken])
        let shown = try #require(try await sharing.shareable(mine.id))
        #expect(shown.code == mine.code && shown.label == "For friends")
        #expect(try await sharing.isReady(mine.id))
    }

    @Test("Trap: A failed creation never completes – after a refusal, the next use makes another shareable")
    func failedCreation() async throws {
        let first = try await sharing.shareable(in: "friends")
        phone.server.change { $0.takenCodes = [first.code] }
        try await phone.client.syncNow()
        #expect(try await sharing.shareables().isEmpty)
        #expect(try await phone.client.rejections().map(\.code) == [.codeTaken])
        let second = try await sharing.shareable(in: "friends")
        #expect(second.code != first.code)
        try await phone.client.syncNow()
        #expect(try await sharing.isReady(second.id))
    }

    // MARK: Links

    @Test("A link has the server's address, the code and the channel") func links() async throws {
        let mine = try await sharing.shareable(in: "friends")
        try await sharing.setCode("ADA-TEA", of: mine.id)
        let named = try #require(try await sharing.shareable(mine.id))
        #expect(try sharing.link(of: named) == "https://kith.example/s/ADA-TEA")
        #expect(try sharing.link(of: named, by: .sheet) == "https://kith.example/s/ADA-TEA?c=sheet")
        #expect(await code { _ = try KithClient.inMemory().sharing.link(of: named) } == .noServer)
    }

    @Test("A link is ready when the server has the shareable with its present code, and the session is ready")
    func ready() async throws {
        let id = try await sharing.shareable(in: "friends").id
        #expect(try await !sharing.isReady(id))
        var readiness = sharing.liveReadiness(of: id).makeAsyncIterator()
        #expect(await readiness.next() == false)
        try await phone.client.syncNow()
        #expect(await readiness.next() == true)
        try await sharing.update(id, label: "For friends")
        #expect(try await sharing.isReady(id))
        try await sharing.setCode("ADA-TEA", of: id)
        #expect(try await !sharing.isReady(id))
        try await phone.client.syncNow()
        #expect(try await sharing.isReady(id))
        #expect(try await !sharing.isReady(ShareableID(UUID())))
    }

    @Test("Trap: The previous user's link survives logout – another store shows nothing of it") func logout()
        async throws
    {
        let mine = try await sharing.shareable(in: "friends")
        try await sharing.share(mine.id, by: .sheet)
        try await phone.client.syncNow()
        var changes = sharing.changes().makeAsyncIterator()
        #expect(await changes.next()?.shareables.added.map(\.id) == [mine.id])
        try await phone.client.session.logOut()
        let gone = await changes.next()
        #expect(gone?.shareables.removed.map(\.id) == [mine.id] && gone?.shares.removed.count == 1)
        #expect(try await sharing.shareables().isEmpty)
        #expect(try await sharing.shares().isEmpty)
        #expect(try await sharing.shareable(mine.id) == nil)
        #expect(try await !sharing.isReady(mine.id))
        let other = try await sharing.shareable(in: "friends")
        #expect(other.id != mine.id && other.code != mine.code)
        #expect(await code { _ = try await sharing.share(mine.id, by: .sheet) } == .notFound)
    }
}
