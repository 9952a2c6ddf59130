import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel
import KithServer
import Testing

@Suite("What the server learns about an address book", .timeLimit(.minutes(15))) struct DiscoveryPrivacyTests {
    private static let joined = [("Ada Joined", "0664 1234567"), ("Ben Joined", "ben.joined@example.com")]
    private static let absent = [
        ("Zenobia Absent", "0664 7654321"), ("Yolanda Absent", "+49 30 9876543"),
        ("Xaver Absent", "xaver.absent@example.com"), ("Police Absent", "133133"),
    ]

    /// Everything that could give a person away, in every way that it might be written.
    private static func traces(_ people: [(String, String)], _ device: Seeking) async throws -> [(String, Data)] {
        var texts = people.flatMap {
            [$0.0, $0.0.components(separatedBy: " ")[0], $0.1, $0.1.filter { !$0.isWhitespace }]
        }
        let identities = try await device.client.addressBook.identities()
        let names = Set(people.map(\.0))
        let theirs = (device.client.addressBook.contacts ?? []).filter { names.contains($0.displayName) }
            .flatMap(\.identities)
        #expect(Set(theirs).isSubset(of: identities) && theirs.count >= 2)
        for identity in theirs {
            texts += [identity.text, identity.shown]
            if case .phone(let number) = identity {
                // With and without the country's code, however it is begun.
                let digits = String(number.text.dropFirst())
                texts += [digits, "00" + digits, String(digits.dropFirst(2)), String(digits.suffix(7))]
            } else {
                texts.append(String(identity.shown.prefix { $0 != "@" }))
            }
        }
        var traces: [(String, Data)] = []
        for text in Set(texts) {
            let bytes = Data(text.utf8)
            traces.append((text, bytes))
            traces.append(("\(text) in capitals", Data(text.uppercased().utf8)))
            traces.append(("\(text) in UTF-16", text.data(using: .utf16LittleEndian) ?? bytes))
            traces.append(("\(text) in hexadecimal", Data(Hex.text(bytes).utf8)))
            traces.append(("\(text) in Base64", Data(bytes.base64EncodedString().filter { $0 != "=" }.dropLast().utf8)))
            traces.append(("SHA-256 of \(text)", Secret.sha256(text)))
            traces.append(("SHA-256 of \(text) in hexadecimal", Data(Hex.text(Secret.sha256(text)).utf8)))
            let digits = text.filter(\.isNumber)
            if digits.count >= 9, let number = UInt64(digits) {
                traces.append(
                    ("\(digits) as a number", withUnsafeBytes(of: number.littleEndian) { Data($0.prefix(5)) }))
                traces.append(
                    ("\(digits) as a number, turned", withUnsafeBytes(of: number.bigEndian) { Data($0.suffix(5)) }))
            }
        }
        return traces
    }

    /// Every byte that the server has written: the database with its log, the keys, the lines of the log, the metrics.
    private static func written(_ world: DiscoveryWorld) async throws -> [(String, Data)] {
        var written: [(String, Data)] = [("the log", Data(world.log.text.utf8))]
        for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path())
        where name.hasPrefix("server") {
            written.append((name, try Data(contentsOf: world.folder.file(name))))
        }
        let metrics = try await SystemTransport(patient: world.server)
            .send(TransportRequest(method: "GET", path: "/metrics"))
        #expect(metrics.status == 200)
        written.append(("the metrics", metrics.body))
        return written
    }

    @Test(
        "+ After a discovery run nothing that the server stored or logged tells of those who have not joined, nor any name",
        arguments: [false, true])
    func nothingIsKept(isRefused: Bool) async throws {
        try await DiscoveryWorld.run(evaluationsADay: isRefused ? 5 : 1_000) { world in
            let accounts = [
                try await world.join("tel:+436641234567"), try await world.join("mailto:ben.joined@example.com"),
            ]
            let device = try await world.device(Self.joined + Self.absent)
            if isRefused {
                // What goes wrong is logged, and tells no more.
                for _ in 0..<2 {
                    let error = await #expect(throws: KithError.self) { try await device.discovery.look() }
                    #expect(error?.code == .quotaExceeded)
                }
            } else {
                let summary = try await device.discovery.look()
                #expect(Set(summary.matches.map(\.account)) == Set(accounts))
                try await device.discovery.look()
            }
            let written = try await Self.written(world)
            #expect(
                Set(written.map(\.0)).isSuperset(of: [
                    "server.sqlite", "server.sqlite-wal", "server.sqlite.discovery-key",
                ]))
            #expect(written.first { $0.0 == "the log" }?.1.isEmpty == false)

            for (trace, bytes) in try await Self.traces(Self.absent, device) where bytes.count > 3 {
                for (place, content) in written {
                    #expect(!content.holds(bytes), "\(trace) is in \(place).")
                }
            }
            for (name, _) in Self.joined {
                for (place, content) in written {
                    #expect(!content.holds(Data(name.utf8)), "\(name) is in \(place).")
                }
            }
            // The search finds what is there: those who have joined are known to the server, and not to its log.
            let known = Data("tel:+436641234567".utf8)
            #expect(written.contains { $0.0.hasPrefix("server.sqlite") && $0.1.holds(known) })
            #expect(written.first { $0.0 == "the log" }?.1.holds(Data("6641234567".utf8)) == false)
        }
    }

    @Test("requests differ each time, and reveal nothing about the identities") func travelling() async throws {
        try await DiscoveryWorld.run { world in
            let device = try await world.device(Self.absent)
            let recorder = Wiretap(device.line)
            var configuration = KithConfiguration(storage: .inMemory)
            configuration.transport = recorder
            let client = try KithClient(configuration)
            for _ in 0..<2 {
                try await client.session.open()
                _ = try await client.discovery.look(for: Self.absent.map(\.1))
            }
            let bodies = recorder.bodies
            #expect(bodies.count >= 2 && Set(bodies).count == bodies.count)
            _ = try await device.client.addressBook.loaded()
            for (trace, bytes) in try await Self.traces(Self.absent, device) where bytes.count > 3 {
                for body in bodies { #expect(!body.holds(bytes), "\(trace) travels.") }
            }
        }
    }
}

extension Data {
    /// Whether these bytes are anywhere in it. Foundation's search takes half a minute for what is searched here.
    fileprivate func holds(_ bytes: Data) -> Bool {
        withUnsafeBytes { all in
            bytes.withUnsafeBytes { part in
                guard let start = all.baseAddress, let sought = part.baseAddress else { return part.isEmpty }
                var place = 0
                while place + part.count <= all.count {
                    let rest = all.count - part.count - place + 1
                    guard let hit = memchr(start + place, Int32(part[0]), rest) else { return false }
                    if memcmp(hit, sought, part.count) == 0 { return true }
                    place = UnsafeRawPointer(hit) - start + 1
                }
                return false
            }
        }
    }
}
