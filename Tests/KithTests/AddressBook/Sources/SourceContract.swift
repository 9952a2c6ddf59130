import Foundation
import Kith
import KithAddressBook
import KithCards
import Testing

/// What every source promises. A new one is one more ``SourceKind``.
@Suite("Every source", .timeLimit(.minutes(15))) struct SourceContract {
    @Test("loads all cards, even if there are none", arguments: SourceKind.all)
    func loads(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            #expect(try await shop.source.contents() == SourceContents(entries: []))
            try await shop.put("ada", card("Ada", uid: "a"))
            try await shop.put("grace", card("Grace", uid: "g"))
            let contents = try await shop.source.contents()
            #expect(contents.names == ["Ada", "Grace"])
            #expect(contents.faults == [])
            #expect(contents.access == .full)
            #expect(contents.entries.map(\.card.uid).sorted { $0 ?? "" < $1 ?? "" } == ["a", "g"])
        }
    }

    @Test("keeps the reference of a card in each load, whatever happens to others", arguments: SourceKind.all)
    func keepsReferences(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("m", card("Ada", uid: "a"))
            try await shop.put("n", card("No Uid", uid: kind == .radicale ? "n" : nil))
            let before = try await shop.source.contents()
            try await shop.put("a-first", card("Grace", uid: "g"))
            try await shop.put("z-last", card("Edsger", uid: "e"))
            try await shop.put("m", card("Ada", uid: "a", "TEL:1"))
            for source in [shop.source, try shop.reopened()] {
                let after = try await source.contents()
                #expect(try after.reference("Ada") == before.reference("Ada"))
                #expect(try after.reference("No Uid") == before.reference("No Uid"))
                #expect(Set(after.entries.map(\.reference)).count == 4)
            }
        }
    }

    @Test("reports a card that cannot be read, and reads the others", arguments: SourceKind.takingBrokenCards)
    func reportsBrokenCards(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a"))
            // Its END is that of a card within it.
            try await shop.put("broken", Array("BEGIN:VCARD\r\nFN:X\r\nBEGIN:VCARD\r\nEND:VCARD\r\n".utf8))
            try await shop.put("grace", card("Grace", uid: "g"))
            let contents = try await shop.source.contents()
            #expect(contents.names.contains("Ada") && contents.names.contains("Grace"))
            let fault = try #require(contents.faults.first)
            #expect(contents.faults.count == 1)
            #expect(kind == .file ? fault.line == 6 : fault.name?.hasSuffix("broken.vcf") == true)
        }
    }

    @Test("detects changes, additions and removals by another program", arguments: SourceKind.all)
    func seesChanges(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a"))
            try await shop.put("grace", card("Grace", uid: "g"))
            _ = try await shop.source.contents()
            try await shop.put("ada", card("Ada Lovelace", uid: "a"))
            try await shop.put("edsger", card("Edsger", uid: "e"))
            try await shop.remove("grace")
            #expect(try await shop.source.contents().names == ["Ada Lovelace", "Edsger"])
        }
    }

    @Test("reports that something has changed", arguments: SourceKind.all)
    func saysSo(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            var changes = shop.source.changes().makeAsyncIterator()
            _ = try await shop.source.contents()
            for (name, expected) in [("Ada", ["Ada"]), ("Ada Lovelace", ["Ada Lovelace"])] {
                try await shop.put("ada", card(name, uid: "a"))
                repeat {
                    await shop.letTimePass()
                    await changes.next()
                } while try await shop.source.contents().names != expected
            }
        }
    }

    @Test("returns a card's bytes as they are stored", arguments: SourceKind.all)
    func givesBytes(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            let ada = card("Ada", uid: "a", "X-ODD;A=\"b;c\":x\\,y", "NOTE:folded over", "  two lines")
            let grace = card("Grace", uid: "g", "NOTE:ü & <b>")
            try await shop.put("ada", ada)
            try await shop.put("grace", grace)
            let contents = try await shop.source.contents()
            // Radicale writes each card again, in its own manner.
            guard kind != .radicale else {
                let bytes = try await shop.source.vCard(contents.reference("Grace")).bytes
                return #expect(Card(try VCard(bytes)) == Card(try VCard(grace)))
            }
            #expect(try await shop.source.vCard(contents.reference("Ada")).bytes == ada)
            #expect(try await shop.source.vCard(contents.reference("Grace")).bytes == grace)
            // Not asked for a load before.
            #expect(try await shop.reopened().vCard(contents.reference("Ada")).bytes == ada)
        }
    }

    @Test("reports a missing card as missing", arguments: SourceKind.all)
    func saysWhatIsGone(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a"))
            try await shop.put("grace", card("Grace", uid: "g"))
            let ada = try await shop.source.contents().reference("Ada")
            try await shop.remove("ada")
            #expect(await code { _ = try await shop.source.vCard(ada) } == .notFound)
        }
    }

    @Test("adds cards unchanged, each once", arguments: SourceKind.all)
    func adds(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a"))
            let grace = card("Grace", uid: "g", "NOTE:ü & <b>")
            let cards = try [grace, card("Ada", uid: "a"), card("Edsger", uid: "../e"), grace].map { try VCard($0) }
            let added = try await shop.source.add(cards).references
            let contents = try await shop.source.contents()
            #expect(contents.names == ["Ada", "Edsger", "Grace"])
            #expect(added == [try contents.reference("Grace"), try contents.reference("Edsger")])
            #expect(try await shop.source.add(cards).references == [])
            #expect(try await shop.reopened().add(cards).references == [])
            #expect(try await shop.source.contents() == contents)
            if kind != .radicale { #expect(try await shop.source.vCard(added[0]).bytes == grace) }
        }
    }

    @Test(
        "keeps all of a value whose comma lacks its backslash, when a card is added and edited",
        arguments: SourceKind.all)
    func keepsCommas(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            let lines = ["ORG:Brown, Jones;Sales", "NOTE:nuts, penicillin", "NICKNAME:Al,Bob"]
            let bytes = card("Ada", uid: "a", lines[0], lines[1], lines[2], "URL:https://example.com/a,b")
            let reference = try #require(try await shop.source.add([VCard(bytes)]).references.first)
            let original = try await shop.source.vCard(reference)
            #expect(Card(original).organizations.map(\.name) == ["Brown, Jones"])
            #expect(Card(original).notes.map(\.note) == ["nuts, penicillin"])
            #expect(Card(original).nicknames.map(\.name) == ["Al", "Bob"])
            #expect(Card(original).links.map(\.content) == [.uri("https://example.com/a,b")])
            let text = original.string.replacing(
                "END:VCARD", with: "TITLE:a, b\r\nURL:https://b.example/c,d\r\nEND:VCARD")
            _ = try await shop.source.save(VCard(Array(text.utf8)), editedFrom: original, as: reference)
            let edited = Card(try await shop.source.vCard(reference))
            #expect(edited.titles.map(\.name) == ["a, b"])
            #expect(edited.links.map(\.content).contains(.uri("https://b.example/c,d")))
            #expect(edited.notes.map(\.note) == ["nuts, penicillin"])
        }
    }

    @Test("adds a card without a uid once", arguments: SourceKind.all)
    func addsWithoutUID(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            let cards = try [card("Ada", uid: nil), card("Grace", uid: nil)].map { try VCard($0) }
            #expect(try await shop.source.add(cards).references.count == 2)
            #expect(try await shop.source.add(cards).references.count == 0)
            #expect(try await shop.source.contents().names == ["Ada", "Grace"])
        }
    }

    @Test("writes an edited card back, and changes only what was edited", arguments: SourceKind.all)
    func saves(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a", "TEL:1", "X-ODD;A=\"b;c\":x\\,y", "NOTE:folded", "  line"))
            try await shop.put("grace", card("Grace", uid: "g"))
            let reference = try await shop.source.contents().reference("Ada")
            let original = try await shop.source.vCard(reference)
            let edited = original.with { $0.phones[0].number = "2" }
            let saved = try await shop.source.save(edited, editedFrom: original, as: reference)
            #expect(saved == SavedCard(reference: reference))
            for source in [shop.source, try shop.reopened()] {
                #expect(try await source.contents().names == ["Ada", "Grace"])
                let bytes = try await source.vCard(reference).bytes
                if kind == .radicale {
                    #expect(try Card(VCard(bytes)).phones.map(\.number) == ["2"])
                } else {
                    #expect(String(decoding: bytes, as: UTF8.self) == original.string.replacing("TEL:1", with: "TEL:2"))
                }
            }
        }
    }

    @Test("keeps a second writer's change of another property", arguments: SourceKind.all)
    func merges(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a", "TEL:1"))
            let reference = try await shop.source.contents().reference("Ada")
            let original = try await shop.source.vCard(reference)
            try await shop.put("ada", card("Ada", uid: "a", "TEL:1", "NOTE:theirs"))
            let edited = original.with { $0.phones[0].number = "2" }
            _ = try await shop.source.save(edited, editedFrom: original, as: reference)
            let card = Card(try await shop.source.vCard(reference))
            #expect(card.phones.map(\.number) == ["2"])
            #expect(card.notes.map(\.note) == ["theirs"])
        }
    }

    @Test("shows both versions if a second writer has changed the same property", arguments: SourceKind.all)
    func conflicts(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a", "TEL:1"))
            let reference = try await shop.source.contents().reference("Ada")
            let original = try await shop.source.vCard(reference)
            try await shop.put("ada", card("Ada", uid: "a", "TEL:3"))
            let edited = original.with { $0.phones[0].number = "2" }
            let error = await #expect(throws: KithError.self) {
                try await shop.source.save(edited, editedFrom: original, as: reference)
            }
            #expect(error?.code == .conflict)
            let conflict = try #require(error?.cause as? CardConflict)
            #expect(conflict.properties == ["TEL"])
            #expect(conflict.mine == edited)
            #expect(Card(conflict.theirs).phones.map(\.number) == ["3"])
            let sentence = try #require(error?.sentence)
            #expect(sentence.contains("TEL is “2” here and “3” there"), "\(sentence)")
            #expect(Card(try await shop.source.vCard(reference)).phones.map(\.number) == ["3"])
            // It is not tried again.
            #expect(try await shop.source.contents().waiting == 0)
            #expect(Card(try await shop.reopened().vCard(reference)).phones.map(\.number) == ["3"])
        }
    }

    @Test("loses no edit of two concurrent writers", arguments: SourceKind.all)
    func savesAtOnce(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a"))
            let reference = try await shop.source.contents().reference("Ada")
            let writers = [shop.source, try shop.reopened()]
            try await withThrowingTaskGroup { group in
                for (number, writer) in writers.enumerated() {
                    group.addTask {
                        for edit in 0..<5 {
                            let original = try await writer.vCard(reference)
                            let address = "w\(number)-\(edit)@example.com"
                            let edited = original.with { $0.emails.append(Card.Email(id: address, address: address)) }
                            _ = try await writer.save(edited, editedFrom: original, as: reference)
                        }
                    }
                }
                try await group.waitForAll()
            }
            // What the other one's edits kept from being sent waits, and is sent by a load.
            for writer in writers { while try await writer.contents().waiting > 0 {} }
            let addresses = Card(try await shop.source.vCard(reference)).emails.map(\.address)
            #expect(addresses.sorted() == (0..<2).flatMap { w in (0..<5).map { "w\(w)-\($0)@example.com" } })
        }
    }

    @Test("removes a card, but not one that was changed since it was read", arguments: SourceKind.all)
    func removes(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a"))
            try await shop.put("grace", card("Grace", uid: "g"))
            let contents = try await shop.source.contents()
            let (ada, grace) = (try contents.reference("Ada"), try contents.reference("Grace"))
            let original = try await shop.source.vCard(ada)
            #expect(try await shop.source.remove(original, as: ada))
            #expect(try await shop.source.contents().names == ["Grace"])
            let read = try await shop.source.vCard(grace)
            try await shop.put("grace", card("Grace", uid: "g", "NOTE:theirs"))
            #expect(await code { _ = try await shop.source.remove(read, as: grace) } == .conflict)
            #expect(try await shop.reopened().contents().names == (kind == .file ? ["Ada", "Grace"] : ["Grace"]))
        }
    }

    @Test("does not bring back a card that was removed before its edit was saved", arguments: SourceKind.all)
    func savesNothingGone(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a", "TEL:1"))
            try await shop.put("grace", card("Grace", uid: "g"))
            let reference = try await shop.source.contents().reference("Ada")
            let original = try await shop.source.vCard(reference)
            try await shop.remove("ada")
            let edited = original.with { $0.phones[0].number = "2" }
            #expect(
                await code { _ = try await shop.source.save(edited, editedFrom: original, as: reference) } == .notFound)
            #expect(try await shop.source.contents().names == ["Grace"])
        }
    }

    @Test("fails with a clear error while it is unavailable, and recovers", arguments: SourceKind.all)
    func comesBack(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.put("ada", card("Ada", uid: "a"))
            var changes = shop.source.changes().makeAsyncIterator()
            _ = try await shop.source.contents()
            try await shop.takeAway()
            #expect(await code { _ = try await shop.source.contents() } == shop.codeWhileAway)
            #expect(
                await code { _ = try await shop.source.add([VCard(card("Grace", uid: "g"))]) } == shop.codeWhileAway)
            // What was read is still known where it is kept.
            let kept = try await shop.source.cached()
            #expect(kept.map(\.names) ?? ["Ada"] == ["Ada"])
            try await shop.bringBack()
            while await code(of: { _ = try await shop.source.contents() }) != nil {
                await shop.letTimePass()
                await changes.next()
            }
            #expect(try await shop.source.contents().names == ["Ada"])
        }
    }

    @Test("reports its progress up to the end", arguments: SourceKind.all)
    func reportsProgress(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            let count = 120
            try await shop.fill(count)
            let heard = Kept<[(Int, Int?)]>([])
            let contents = try await shop.source.load(
                LoadProgress { done, of in heard.change { $0.append((done, of)) } })
            #expect(contents.entries.count == count)
            let done = heard.value.map(\.0)
            #expect(done == done.sorted() && !done.isEmpty)
            let last = try #require(heard.value.last)
            #expect(last.1 == last.0)
        }
    }

    @Test("ends when it is cancelled", arguments: SourceKind.all)
    func endsWhenCancelled(kind: SourceKind) async throws {
        try await kind.withWorkshop { shop in
            try await shop.fill(3)
            let loading = Task {
                _ = await #expect(throws: CancellationError.self) {
                    while !Task.isCancelled { await Task.yield() }
                    _ = try await shop.source.contents()
                }
            }
            loading.cancel()
            await loading.value
            #expect(try await shop.source.contents().entries.count == 3)
        }
    }
}

extension Workshop {
    /// Puts many cards, as another program would.
    func fill(_ count: Int) async throws {
        for number in 0..<count { try await put("c\(number)", card("Person \(number)", uid: "u\(number)")) }
    }
}

@Suite("Third-party servers", .timeLimit(.minutes(15))) struct OtherServers {
    @Test(
        "Radicale refuses a wrong password, with a clear error",
        .enabled(if: DAVServerProcess.Program.radicale.path != nil))
    func wrongPassword() async throws {
        let folder = TemporaryFolder()
        let shop = try await ServerWorkshop(.radicale, in: folder.url)
        #expect(await code { _ = try await shop.account.open(password: "wrong").contents() } == .unauthorized)
        await shop.close()
    }

    @Test("An answer beyond the size limit is aborted", .enabled(if: DAVServerProcess.Program.xandikos.path != nil))
    func tooLong() async throws {
        let folder = TemporaryFolder()
        let shop = try await ServerWorkshop(.xandikos, in: folder.url)
        try await shop.put("ada", card("Ada", uid: "a", "NOTE:" + String(repeating: "x", count: 100_000)))
        let transport = SystemDAVTransport()
        let url = shop.server.url.appending(path: shop.server.book + "ada.vcf")
        let get = DAVRequest(method: "GET", url: url, headers: [:], body: nil, limit: 100_000)
        #expect(await code { _ = try await transport.send(get) } == .tooMany)
        var larger = get
        larger.limit = 200_000
        #expect(try await transport.send(larger).body.count > 100_000)
        await shop.close()
    }

    @Test("A cancelled request ends even if the server is silent") func cancelled() async throws {
        // It takes connections, and never answers.
        let listener = try ListeningSocket()
        let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/"))
        let transport = SystemDAVTransport()
        let asking = Task {
            await #expect(throws: CancellationError.self) {
                try await transport.send(DAVRequest(method: "GET", url: url, headers: [:], body: nil, limit: 1))
            }
        }
        await listener.accepted()
        asking.cancel()
        _ = await asking.value
    }
}
