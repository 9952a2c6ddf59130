import Foundation
import HTTPTypes
import KithModel

/// What the API does about people: their profiles, their pictures, the directory, and who is online.
extension API {
    /// What a search of the directory is likely to cost, in units of work.
    private static let searching = 100

    func answerOfPeople(
        _ endpoint: Endpoint, _ incoming: Incoming, _ account: AccountID, _ ration: Ration
    ) async throws -> Answer {
        let people = PeopleService(database: database)
        switch endpoint {
        case .showAccount(let other):
            return try Answer(json: try await people.profile(of: other, to: account))
        case .searchDirectory:
            guard let name = try incoming.parameter("name") else {
                throw ServerError(.malformed, "The query's “name” is missing.", path: "?name")
            }
            return try await ration.run(Self.searching) {
                ration.charge(Self.searching)
                return try Answer(json: try await people.find(name, for: account))
            }
        case .putPicture(let hash):
            let (bytes, type) = try await incoming.readPicture()
            ration.charge(WorkUnits.bytes(bytes.count))
            try await ration.run(WorkUnits.bytes(bytes.count)) {
                try await PictureService(database: database).put(
                    bytes, type, hash: hash, of: account, at: clock.time())
            }
            return Answer(.noContent)
        case .showPicture(let other, let size):
            return try await ration.run(WorkUnits.bytes(size.limit)) {
                let (picture, hash) = try await PictureService(database: database).picture(
                    size, of: other, to: account)
                ration.charge(WorkUnits.bytes(picture.bytes.count))
                return Answer(picture, hash, incoming)
            }
        case .showPresence(let other):
            let presence = PresenceService(database: database, hub: hub)
            return try Answer(json: try await presence.presence(of: other, to: account))
        case .setPresence:
            let device: DeviceID = try incoming.identifier("device")
            let request = try await incoming.read(PresenceRequest.self, in: ration)
            try hub.setPresence(try request.state.chosen(at: "$.state"), of: account, device)
            return Answer(.noContent)
        default: throw ServerError.nothingHere
        }
    }
}

extension Answer {
    /// A picture, unless the client has it already. It is asked for again each time, because it may have been hidden.
    fileprivate init(_ picture: Pictures.Picture, _ hash: String, _ incoming: Incoming) {
        let tag = "\"\(hash)\""
        let known = incoming.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let isKnown = known.contains { $0 == "*" || $0 == tag || $0 == "W/\(tag)" }
        self.init(
            isKnown ? .notModified : .ok, headers: [.eTag: tag, .cacheControl: "private, no-cache"],
            body: isKnown ? Data() : picture.bytes)
        if !isKnown { headers[.contentType] = picture.type.rawValue }
    }
}

extension Incoming {
    /// What the device that opens a live stream wants to be shown as.
    func presence() throws(ServerError) -> Presence.State {
        guard let word = try parameter("presence") else { return .online }
        guard let state = Presence.State(rawValue: word) else {
            throw ServerError(
                .malformed, "The query's “presence” is not one of \(Presence.State.choices).", path: "?presence")
        }
        return try state.chosen(at: "?presence")
    }
}

extension Presence.State {
    /// The words that one can choose, as a sentence lists them.
    fileprivate static let choices = allCases.filter { $0 != .offline }.map(\.rawValue).joined(separator: ", ")

    /// The state, if one can choose it: whoever is offline has no stream.
    fileprivate func chosen(at path: String) throws(ServerError) -> Presence.State {
        if self != .offline { return self }
        throw ServerError(
            .malformed, "Nobody is shown as offline by saying so. Close the live stream, or be invisible.", path: path)
    }
}
