import Foundation
import KithModel
import KithServer
import Testing

@Suite("Pictures are stored unchanged, and sent to people who may see them", .timeLimit(.minutes(15)))
struct PictureTests {
    private let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    private func hash(_ bytes: Data) -> String { Hex.text(Secret.sha256(bytes)) }

    private func put(
        _ bytes: Data, as type: String = "image/png", named name: String? = nil, by device: TestDevice,
        _ village: Village, headers: [String: String] = [:]
    ) async throws -> Reply {
        try await village.server.ask(
            "PUT", "/v1/pictures/\(name ?? hash(bytes))", token: device.session.token,
            headers: headers.merging(["Content-Type": type]) { $1 }, body: bytes)
    }

    @Test("A picture comes back unchanged, and is not sent to a client that already has it") func there() async throws {
        try await Village.run { village in
            var ada = try await village.person()
            let stranger = try await village.person()
            let (small, large) = (png + Data([1]), png + Data(repeating: 2, count: 100_000))
            for picture in [small, large, small] {
                #expect(try await put(picture, by: ada, village).status == 204)
            }
            try await village.set(
                ["pictureSmall": .text(hash(small)), "pictureLarge": .text(hash(large))], of: &ada)
            let path = "/v1/accounts/\(ada.account)/picture/large"
            let reply = try await village.get(path, by: stranger, headers: ["Accept-Encoding": "gzip"])
            #expect(reply.status == 200 && reply.body == large)
            #expect(reply.head["content-type"] == "image/png" && reply.head["content-encoding"] == nil)
            #expect(reply.head["etag"] == "\"\(hash(large))\"" && reply.head["cache-control"] == "private, no-cache")
            #expect(reply.head["x-content-type-options"] == "nosniff")
            for tag in ["\"\(hash(large))\"", "\"other\", W/\"\(hash(large))\"", "*"] {
                let again = try await village.get(path, by: stranger, headers: ["If-None-Match": tag])
                #expect(again.status == 304 && again.body.isEmpty && again.head["etag"] == "\"\(hash(large))\"")
            }
            let other = try await village.get(path, by: stranger, headers: ["If-None-Match": "\"\(hash(small))\""])
            #expect(other.status == 200)
            let head = try await village.server.ask("HEAD", path, token: stranger.session.token)
            #expect(head.status == 200 && head.head["content-length"] == String(large.count))
        }
    }

    @Test("A picture is not stored if its account is deleted meanwhile") func deletedMeanwhile() async throws {
        let database = try SQLiteDatabase.inMemory()
        let account = try await SessionService(database: database, signals: .none).open(at: HandClock.start).account
        try await AccountService(database: database, signals: .none).delete(account, at: HandClock.start)
        let error = await #expect(throws: ServerError.self) {
            try await PictureService(database: database).put(
                png, .png, hash: Secret.sha256(png), of: account, at: HandClock.start)
        }
        #expect(error?.code == .accountClosed)
        #expect(try await database.read { try $0.query("SELECT hash FROM picture") }.isEmpty)
    }

    @Test("A hidden picture does not exist for others, even if they know its tag")
    func hidden() async throws {
        try await Village.run { village in
            var ada = try await village.person()
            let (grace, stranger) = (try await village.person(), try await village.person())
            try await village.connect(ada, grace)
            #expect(try await put(png, by: ada, village).status == 204)
            try await village.set(
                ["pictureSmall": .text(hash(png)), "pictureLarge": .text(hash(png)), "pictureVisibility": "network"],
                of: &ada)
            let path = "/v1/accounts/\(ada.account)/picture/small"
            #expect(try await village.get(path, by: grace).status == 200)
            let refused = try await village.get(path, by: stranger, headers: ["If-None-Match": "*"])
            try problem(in: refused, 404, .notFound)
            try await village.set(["pictureVisibility": "nobody"], of: &ada)
            try problem(in: try await village.get(path, by: grace), 404, .notFound)
            #expect(try await village.get(path, by: ada).status == 200)
        }
    }

    @Test("A picture of another type than declared is refused, with what to do next") func refusals() async throws {
        try await Village.run { village in
            let ada = try await village.person()
            try problem(in: try await put(png, named: hash(png + png), by: ada, village), 400, .malformed)
            try problem(in: try await put(png, as: "image/jpeg", by: ada, village), 415, .unsupportedType)
            let page = Data("<script>alert(1)</script>".utf8)
            try problem(in: try await put(page, by: ada, village), 415, .unsupportedType)
            for type in ["image/svg+xml", "image/gif", "text/html", "application/json"] {
                try problem(in: try await put(png, as: type, by: ada, village), 415, .unsupportedType)
            }
            let compressed = try await put(png, by: ada, village, headers: ["Content-Encoding": "gzip"])
            try problem(in: compressed, 415, .unsupportedType)
            try problem(in: try await put(png, named: "abc", by: ada, village), 404, .notFound)
            try problem(in: try await put(Data(), by: ada, village), 415, .unsupportedType)
            #expect(try await count(village) == 0)
        }
    }

    @Test("A picture of a megabyte fits, one byte more does not") func size() async throws {
        try await Village.run { village in
            let ada = try await village.person()
            let most = png + Data(repeating: 0, count: Limits.largePicture - png.count)
            #expect(try await put(most, by: ada, village).status == 204)
            try problem(in: try await put(most + Data([0]), by: ada, village), 413, .tooLarge)
        }
    }

    @Test("Beyond eight pictures, the oldest that the profile does not refer to is deleted") func limit() async throws {
        try await Village.run { village in
            var ada = try await village.person()
            let pictures = (0...UInt8(Limits.pictures + 1)).map { png + Data([$0]) }
            #expect(try await put(pictures[0], by: ada, village).status == 204)
            try await village.set(
                ["pictureSmall": .text(hash(pictures[0])), "pictureLarge": .text(hash(pictures[0]))], of: &ada)
            for picture in pictures.dropFirst() {
                village.server.clock.advance(.seconds(1))
                #expect(try await put(picture, by: ada, village).status == 204)
            }
            let kept = try await village.database.read { transaction in
                try transaction.query("SELECT hash FROM picture ORDER BY created").map { Hex.text(try $0.bytes(0)) }
            }
            #expect(kept == ([pictures[0]] + pictures.suffix(Limits.pictures - 1)).map(hash))
        }
    }

    @Test("The housekeeping deletes pictures that no profile refers to after a day") func housekeeping() async throws {
        try await Village.run { village in
            var ada = try await village.person()
            let (named, unnamed) = (png + Data([1]), png + Data([2]))
            for picture in [named, unnamed] { #expect(try await put(picture, by: ada, village).status == 204) }
            try await village.set(
                ["pictureSmall": .text(hash(named)), "pictureLarge": .text(hash(named))], of: &ada)
            let housekeeping = Housekeeping(database: village.database, signals: .none)
            try await housekeeping.purge(HandClock.start + Limits.unnamedPicture)
            #expect(try await count(village) == 2)
            try await housekeeping.purge(HandClock.start + Limits.unnamedPicture + .seconds(1))
            #expect(try await count(village) == 1)
            #expect(try await village.get("/v1/accounts/\(ada.account)/picture/small", by: ada).body == named)
            try await village.set(["pictureSmall": .null, "pictureLarge": .null], of: &ada)
            try await housekeeping.purge(HandClock.start + Limits.unnamedPicture + .seconds(1))
            #expect(try await count(village) == 0)
        }
    }

    @Test("A profile cannot refer to a missing picture, or to a large one as its small one") func naming() {
        let (small, large) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
        let sizes = [small: Limits.smallPicture, large: Limits.smallPicture + 1]
        #expect(
            Pictures.fault(in: ["pictureSmall": .text(small), "pictureLarge": .text(large)], sizes: sizes) == nil)
        #expect(Pictures.fault(in: ["pictureSmall": .null, "given": "Ada"], sizes: [:]) == nil)
        #expect(Pictures.fault(in: ["pictureSmall": .text(large)], sizes: sizes)?.contains("smaller") == true)
        #expect(Pictures.fault(in: ["pictureLarge": .text(small)], sizes: [:])?.contains("Send it first") == true)
    }

    @Test(
        "An edit that refers to a missing picture is refused and changes nothing; with the picture it is applied"
    )
    func judged() async throws {
        try await Village.run { village in
            var ada = try await village.person(["given": "Ada"])
            let large = png + Data(repeating: 1, count: Limits.smallPicture)
            func outcome(_ set: Fields) async throws -> RejectionCode? {
                let mutation = ada.mutation(1, .profiles, Profile.id.uuid, in: ada.account.retyped(), set: set)
                return try await ada.sync([mutation], with: village.server).outcomes.first?.code
            }
            let fields: Fields = [
                "given": "Augusta", "pictureSmall": .text(hash(png)), "pictureLarge": .text(hash(large)),
            ]
            #expect(try await outcome(fields) == .invalid)
            for picture in [png, large] { #expect(try await put(picture, by: ada, village).status == 204) }
            #expect(try await outcome(["pictureSmall": .text(hash(large))]) == .invalid)
            let before: ShownProfile = try await village.get("/v1/accounts/\(ada.account)", by: ada).decoded()
            #expect(before.fields == ["given": "Ada"])
            #expect(try await outcome(fields) == nil)
            // What is named already is not asked for again.
            try await village.database.write { try $0.execute("DELETE FROM picture") }
            #expect(try await outcome(fields.merging(["family": "King"]) { $1 }) == nil)
        }
    }

    @Test("Deleting an account deletes its pictures and its names in the directory") func deleted() async throws {
        try await Village.run { village in
            var ada = try await village.person(["given": "Ada", "isListed": true])
            let grace = try await village.person()
            #expect(try await put(png, by: ada, village).status == 204)
            try await village.set(["pictureSmall": .text(hash(png)), "pictureLarge": .text(hash(png))], of: &ada)
            try await AccountService(database: village.database, signals: .none).delete(
                ada.account, at: HandClock.start)
            #expect(try await count(village) == 0)
            let found: DirectoryAnswer = try await village.get("/v1/directory?name=ada", by: grace).decoded()
            #expect(found.people.isEmpty)
            for path in ["", "/picture/small", "/presence"] {
                try problem(in: try await village.get("/v1/accounts/\(ada.account)" + path, by: grace), 404, .notFound)
            }
        }
    }

    private func count(_ village: Village) async throws -> Int64? {
        try await village.database.read { try $0.query("SELECT COUNT(*) FROM picture").first?.integer(0) }
    }
}
