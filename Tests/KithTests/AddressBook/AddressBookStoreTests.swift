import Foundation
import GRDB
import Kith
import KithAddressBook
import KithModel
import Testing

@Suite("What the address book stores", .timeLimit(.minutes(15))) struct AddressBookStoreTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url.appending(path: "address-book.sqlite") }

    /// A vCard file with one person in it.
    private func contacts(_ name: String = "Ada") throws -> URL {
        let url = folder.url.appending(path: "\(name).vcf")
        try Data("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\(name)\r\nEND:VCARD\r\n".utf8).write(to: url)
        return url
    }

    @Test("A client has an address book, with its file beside the replica, and the sources that were added to it")
    func client() async throws {
        let configuration = KithConfiguration(storage: .directory(folder.url))
        let id: SourceID
        do {
            let client = try KithClient(configuration)
            #expect(try await client.addressBook.loaded().isEmpty)
            id = try await client.addressBook.addSource(.vCardFile(contacts()))
            #expect(try await client.addressBook.loaded().map(\.displayName) == ["Ada"])
        }
        #expect(FileManager.default.fileExists(atPath: file.path))
        let client = try KithClient(configuration)
        #expect(client.addressBook.sources.map(\.id) == [id])
        #expect(client.addressBook.sources.map(\.name) == ["Ada"])
        #expect(try await client.addressBook.loaded().map(\.displayName) == ["Ada"])
        try await client.addressBook.removeSource(id)
        #expect(try KithClient(configuration).addressBook.sources.isEmpty)
    }

    @Test("A region comes from the user, else from the configuration") func region() async throws {
        var configuration = KithConfiguration(storage: .directory(folder.url))
        configuration.region = Region("IT")
        #expect(try KithClient(configuration).addressBook.region == Region("IT"))
        try await KithClient(configuration).addressBook.setRegion(Region("AT"))
        #expect(try KithClient(configuration).addressBook.region == Region("AT"))
    }

    #if !canImport(Darwin) && !os(Android)
        @Test(
            "Without either it comes from the environment's locale, as POSIX reads it",
            arguments: [
                (["LANG": "de_AT.UTF-8"], "AT"), (["LANG": "C.UTF-8"], nil), ([:], nil), (["LANG": "POSIX"], nil),
                (["LANG": "en_US.UTF-8", "LC_TELEPHONE": "sv_SE@euro"], "SE"), (["LANG": "eo"], nil),
                (["LC_ALL": "it_IT", "LC_TELEPHONE": "sv_SE", "LANG": "de_AT"], "IT"),
                (["LC_ALL": "", "LANG": "ja_JP.eucJP"], "JP"),
            ] as [([String: String], String?)])
        func localeRegion(_ environment: [String: String], _ region: String?) {
            #expect(Region(.user(of: .numbers, environment: environment))?.code == region)
        }

        @Test("Names are in the order of the environment's locale") func localeOrder() {
            let environment = ["LC_COLLATE": "sv_SE.UTF-8", "LANG": "de_AT.UTF-8"]
            #expect(Locale.user(of: .order, environment: environment).identifier == "sv_SE")
        }
    #endif

    @Test("Offline no requests are sent: cards that were never read are reported as missing")
    func offline() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        var configuration = KithConfiguration(storage: .directory(folder.url))
        configuration.isOffline = true
        let book = try KithClient(configuration).addressBook
        try await book.addSource(.cardDAV(url, user: "ada"), password: "hunter2")
        let error = await #expect(throws: KithError.self) { try await book.loaded() }
        #expect(error?.code == .offline)
        #expect(error?.sentence.contains("never read") == true)
    }

    @Test(
        "A source that is added at each start is kept once, however its place is written",
        arguments: ["cards", "cards/", "./cards", "../cards/../cards"])
    func addedAtEachStart(_ written: String) async throws {
        let configuration = KithConfiguration(storage: .directory(folder.url))
        let here = folder.url.appending(path: "here", directoryHint: .isDirectory)
        let plain = here.appending(path: "cards")
        let first = try await KithClient(configuration).addressBook.addSource(.folder(plain))
        let base = written.hasPrefix("..") ? here.appending(path: "x", directoryHint: .isDirectory) : here
        let again = try KithClient(configuration).addressBook
        #expect(try await again.addSource(.folder(URL(filePath: written, relativeTo: base))) == first)
        #expect(again.sources.count == 1)
    }

    // MARK: Folders that move

    /// A home folder with a client's folder and Ada's card, in one of the two.
    private func makeHome(_ name: String, isInClientFolder: Bool) throws -> (home: URL, file: URL, contacts: URL) {
        let home = folder.url.appending(path: name, directoryHint: .isDirectory)
        let client = home.appending(path: "Library/kith", directoryHint: .isDirectory)
        let place = isInClientFolder ? client : home.appending(path: "Documents", directoryHint: .isDirectory)
        for folder in [client, place] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let contacts = place.appending(path: "Ada.vcf")
        try Data("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n".utf8).write(to: contacts)
        return (home, client.appending(path: "address-book.sqlite"), contacts)
    }

    @Test(
        "Trap: iOS moves the app's container – its sources are found there, and adding one again makes no second one",
        arguments: [true, false])
    func movedContainer(isInClientFolder: Bool) async throws {
        let old = try makeHome("old", isInClientFolder: isInClientFolder)
        let id = try await BookWorld(file: old.file, home: old.home).book.addSource(.vCardFile(old.contacts))
        let new = try makeHome("new", isInClientFolder: isInClientFolder)
        try FileManager.default.removeItem(at: new.home)
        try FileManager.default.moveItem(at: old.home, to: new.home)
        for _ in 1...2 {
            let world = try BookWorld(file: new.file, home: new.home)
            #expect(try await world.book.loaded().map(\.displayName) == ["Ada"])
            #expect(try await world.book.addSource(.vCardFile(new.contacts)) == id)
            #expect(world.book.sources.count == 1)
        }
    }

    @Test("A location of an earlier version, which is a path only, is found where the container is now")
    func earlierVersion() async throws {
        let (home, file, contacts) = try makeHome("home", isInClientFolder: false)
        let id = try await BookWorld(file: file, home: home).book.addSource(.vCardFile(contacts))
        let container = "/var/mobile/Containers/Data/Application/0D3C1E5A-9F64-4B8B-8F0E-2C5B3A7D9E11"
        for path in ["\(container)/Documents/Ada.vcf", contacts.path(percentEncoded: false)] {
            let database = try DatabaseQueue(path: file.path)
            try await database.write {
                try $0.execute(
                    sql: "UPDATE source SET location = ?", arguments: [#"{"kind":"file","path":"\#(path)"}"#])
            }
            try database.close()
            let world = try BookWorld(file: file, home: home)
            #expect(try await world.book.loaded().map(\.displayName) == ["Ada"])
            #expect(try await world.book.addSource(.vCardFile(contacts)) == id)
        }
    }

    @Test("A source stays where it is as long as its folder is there, whatever the home folder is now")
    func otherHome() async throws {
        let (home, file, contacts) = try makeHome("home", isInClientFolder: false)
        let other = try makeHome("other", isInClientFolder: false)
        let id = try await BookWorld(file: file, home: home).book.addSource(.vCardFile(contacts))
        try FileManager.default.removeItem(at: contacts)
        let world = try BookWorld(file: file, home: other.home)
        #expect(try await world.book.addSource(.vCardFile(contacts)) == id)
        #expect(try await world.book.addSource(.vCardFile(other.contacts)) != id)
    }

    @Test("Trap: A source is at neither place, as on a volume that is not mounted – it stays, and is found later")
    func atNeitherPlace() async throws {
        let old = try makeHome("old", isInClientFolder: false)
        let id = try await BookWorld(file: old.file, home: old.home).book.addSource(.vCardFile(old.contacts))
        let new = try makeHome("new", isInClientFolder: false)
        try FileManager.default.removeItem(at: new.contacts)
        for file in try FileManager.default.contentsOfDirectory(
            at: old.file.deletingLastPathComponent(), includingPropertiesForKeys: nil)
        {
            try FileManager.default.moveItem(
                at: file, to: new.file.deletingLastPathComponent().appending(path: file.lastPathComponent))
        }
        try FileManager.default.removeItem(at: old.home)
        for _ in 1...2 {
            let world = try BookWorld(file: new.file, home: new.home)
            guard case .vCardFile(let url) = world.book.sources.first?.location else {
                Issue.record("\(world.book.sources)")
                return
            }
            #expect(url.path == old.contacts.path)
        }
        try Data("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n".utf8).write(to: new.contacts)
        let world = try BookWorld(file: new.file, home: new.home)
        #expect(try await world.book.loaded().map(\.displayName) == ["Ada"])
        #expect(try await world.book.addSource(.vCardFile(new.contacts)) == id)
    }

    @Test("A source's id is never reused, because data stored under it would pass to another source") func ids()
        async throws
    {
        let world = try BookWorld(file: file)
        let first = try await world.book.addSource(.vCardFile(contacts()))
        try await world.book.removeSource(first)
        #expect(try await world.book.addSource(.vCardFile(contacts())) != first)
    }

    @Test("A password is kept with the tokens, not in the file, and goes with its source") func password() async throws
    {
        let world = try BookWorld(file: file)
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        let id = try await world.book.addSource(.cardDAV(url, user: "ada"), name: "Work", password: "hunter2 secret")
        #expect(world.credentials.secret(for: .source(id.rawValue)) == "hunter2 secret")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            let bytes = try Data(contentsOf: folder.url.appending(path: name))
            #expect(bytes.range(of: Data("hunter2".utf8)) == nil, "\(name)")
        }
        try await world.book.removeSource(id)
        #expect(world.credentials.secret(for: .source(id.rawValue)) == nil)
    }

    @Test(
        "Trap: All data is removed from the device, and passwords and contacts of the address book stay – they go too")
    func removeAllData() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        do {
            let world = try BookWorld(file: file)
            try await world.book.addSource(.vCardFile(contacts()))
            try await world.book.setRegion(Region("IT"))
            try await world.book.setNameOrder(.givenFirst)
            #expect(try await world.book.loaded().map(\.displayName) == ["Ada"])
            let account = try await world.book.addSource(.cardDAV(url, user: "ada"), password: "hunter2")
            // As an account stores them that is read or edited while its source is removed.
            let late = try DatabaseQueue(path: file.path, configuration: Replica.configuration)
            try await late.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO cachedBook (source, path, token) VALUES ('source-9', '/b/', '1');
                        INSERT INTO cachedCard (source, book, path, etag, bytes)
                            VALUES ('source-9', '/b/', '/b/c', '1', x'00');
                        INSERT INTO waitingEdit (source, book, path, original) VALUES ('source-9', '/b/', '/b/c', x'00')
                        """)
            }
            try late.close()
            try await world.book.removeAllData()
            #expect(world.book.sources.isEmpty && world.names == [])
            #expect(world.book.region == Region("AT") && world.book.nameOrder == .familyFirst)
            #expect(world.credentials.secret(for: .source(account.rawValue)) == nil)
        }
        var configuration = Configuration()
        // The last connection of the address book may still be closing.
        configuration.busyMode = .timeout(60)
        let database = try DatabaseQueue(path: file.path, configuration: configuration)
        try await database.read { db in
            for table in ["source", "link", "setting", "cachedBook", "cachedCard", "waitingEdit"] {
                let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
                #expect(count == 0, "\(table)")
            }
        }
        let again = try BookWorld(file: file)
        #expect(again.book.sources.isEmpty)
        #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: "Ada.vcf").path))
    }

    @Test("A source that cannot be added leaves nothing behind") func notAdded() async throws {
        let world = try BookWorld(file: file)
        #expect(await code { try await world.book.addSource(.cardDAV(URL(filePath: "x"), user: "ada")) } == .invalid)
        #expect(world.book.sources.isEmpty)
        #expect(try BookWorld(file: file).book.sources.isEmpty)
    }

    @Test("Trap: An account's password cannot be stored, nor deleted – no source is left without one")
    func passwordRefused() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        let credentials = BreakableCredentialStore()
        credentials.breaks { _, _ in true }
        let world = try BookWorld(file: file, breakable: credentials)
        await #expect(throws: Crash.self) {
            try await world.book.addSource(.cardDAV(url, user: "ada"), password: "hunter2")
        }
        #expect(world.book.sources.isEmpty)
        #expect(try BookWorld(file: file).book.sources.isEmpty)
    }

    @Test("A source of a newer version is kept and reported; the others are shown") func newer() async throws {
        do {
            let world = try BookWorld(file: file)
            try await world.book.addSource(.vCardFile(contacts()))
        }
        let database = try DatabaseQueue(path: file.path)
        try await database.write {
            try $0.execute(sql: "INSERT INTO source (name, location) VALUES ('Cloud', '{\"cloud\":{}}')")
        }
        try database.close()
        let world = try BookWorld(file: file)
        #expect(try await world.book.loaded().count == 1)
        guard case .failed(code: .invalid, let sentence) = world.book.sources[1].state else {
            Issue.record("\(world.book.sources[1].state)")
            return
        }
        #expect(sentence.contains("Update the app"))
    }

    @Test("A file that a newer version has migrated is not opened, and its reason is reported") func newerFile()
        async throws
    {
        _ = try BookWorld(file: file)
        let database = try DatabaseQueue(path: file.path)
        try await database.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('999: of a newer version')")
        }
        try database.close()
        let world = try BookWorld(file: file)
        #expect(await code { _ = try await world.book.loaded() } == .newerVersion)
    }

    @Test("A damaged file is moved aside, kept and reported, and what can be read of it is taken over") func damage()
        async throws
    {
        try Data(repeating: 0x5A, count: 20_000).write(to: file)
        let world = try BookWorld(file: file)
        #expect(try Data(contentsOf: #require(world.book.damagedFile)).count == 20_000)
        try await world.book.addSource(.vCardFile(contacts()), name: "Family")
        try await world.book.setRegion(Region("IT"))
        _ = FileManager.default.createFile(atPath: file.path + ".damaged", contents: nil)
        let again = try BookWorld(file: file)
        #expect(again.book.damagedFile != nil)
        #expect(again.book.sources.map(\.name) == ["Family"])
        #expect(again.book.region == Region("IT"))
        #expect(try BookWorld(file: file).book.damagedFile == nil)
    }

    // MARK: Damage in the cards of accounts

    private func account(at path: URL, _ server: FakeDAVServer) throws -> CardDAVSource {
        let store = try AddressBookStore(path)
        return CardDAVSource(
            at: FakeDAVServer.address, user: "ada", password: FakeDAVServer.password, withoutTLS: false, id: "work",
            database: store.database, transport: server, clock: ManualClock(),
            schedule: PollingSchedule(every: KithConfiguration.accountInterval))
    }

    private func serverWithCards() -> FakeDAVServer {
        let server = FakeDAVServer()
        server.change { state in
            for number in 0..<20 { state.set("c\(number).vcf", card("Person \(number)", uid: "u\(number)")) }
        }
        return server
    }

    @Test("An edit throws if another process has replaced the file before the commit, because it may be lost")
    func replacedMeanwhile() async throws {
        let store = try AddressBookStore(file)
        let book = AddressBook(credentials: InMemoryCredentialStore(), AddressBookDependencies()) { store }
        let (place, aside) = (file, folder.url.appending(path: "aside"))
        try await store.database.writeWithoutTransaction { db in
            db.afterNextTransaction { _ in
                try? FileManager.default.moveItem(at: place, to: aside)
                try? Data().write(to: place)
            }
        }
        let source = try contacts()
        #expect(await code { _ = try await book.addSource(.vCardFile(source)) } == .replicaBroken)
    }

    @Test("Damage that is found in the cards of an account is repaired at the next start") func damagedCards()
        async throws
    {
        let server = serverWithCards()
        _ = try await account(at: file, server).contents()
        try file.damageIndex(of: "cachedCard")
        #expect(await code { _ = try await account(at: file, server).contents() } == .replicaBroken)
        #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
        let healed = try account(at: file, server)
        #expect(!FileManager.default.fileExists(atPath: file.path + ".damaged"))
        #expect(try await healed.contents().entries.count == 20)
    }

    @Test("Cards that can be read of a damaged file are not fetched again; those that cannot are") func salvagedCards()
        async throws
    {
        let server = serverWithCards()
        let contents = try await account(at: file, server).contents()
        let database = try DatabaseQueue(path: file.path)
        try await database.write { try $0.execute(sql: "DELETE FROM cachedCard WHERE path LIKE '%/c7.vcf'") }
        try database.close()
        _ = FileManager.default.createFile(atPath: file.path + ".damaged", contents: nil)
        let source = try account(at: file, server)
        #expect(try await source.cached()?.entries.count == 19)
        _ = server.asked()
        #expect(try await source.contents() == contents)
        #expect(server.asked().suffix(2) == ["REPORT /ada/friends/", "GET /ada/friends/c7.vcf"])
    }

    @Test("An edit of an account that cannot be opened is found, and can be discarded") func unopenedAccount()
        async throws
    {
        let place = try SourceLocation.cardDAV(#require(URL(string: "https://dav.example.com/")), user: "ada")
        let id = try await BookWorld(file: file).book.addSource(place, password: "secret")
        let database = try DatabaseQueue(path: file.path)
        let card = Data("BEGIN:VCARD\r\nVERSION:3.0\r\nUID:a\r\nFN:Ada\r\nEND:VCARD\r\n".utf8)
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO waitingEdit (source, book, path, original) VALUES (?, '/', '/ada.vcf', ?)",
                arguments: [id.rawValue, card])
        }
        try database.close()
        // This world does not have the password.
        let book = try BookWorld(file: file).book
        #expect(try await book.unsentEdits(of: id).map(\.name) == ["Ada"])
        try await book.discardEdit(of: CardReference("/ada.vcf"), in: id)
        #expect(try await book.unsentEdits(of: id).isEmpty)
    }

    @Test("A file that cannot be opened is reported when contacts are requested, and everything else works")
    func unopened() async throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let client = try KithClient(KithConfiguration(storage: .directory(folder.url)))
        let list = try await client.lists.create("Groceries")
        await #expect(throws: KithError.self) { try await client.addressBook.loaded() }
        await #expect(throws: KithError.self) { try await client.addressBook.addSource(.folder(folder.url)) }
        #expect(client.addressBook.contacts == nil)
        #expect(try await client.lists.all().map(\.id) == [list.id])
    }
}

extension URL {
    /// Overwrites the roots of a table's indices, which no start reads, as a bad disk does.
    fileprivate func damageIndex(of table: String) throws {
        let database = try DatabaseQueue(path: path)
        let (size, pages) = try database.write { db in
            (
                try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096,
                try Int.fetchAll(
                    db, sql: "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?",
                    arguments: [table])
            )
        }
        try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try database.close()
        let file = try FileHandle(forWritingTo: self)
        for page in pages {
            try file.seek(toOffset: UInt64((page - 1) * size))
            try file.write(contentsOf: Data(repeating: 0xEE, count: size))
        }
        try file.close()
    }
}
