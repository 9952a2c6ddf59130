import Foundation
import HTTPTypes
import KithModel

/// Shows people and their pictures, searches the directory, and sets and shows who is online.
enum PeopleOperations {
    /// The estimated cost of a directory search, in units of work.
    private static let searching = 100

    static func show(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let account = try call.path.account()
        return try Answer(
            json: try await call.database.read { try ProfileViewing($0).profile(of: account, to: session.account) })
    }

    static func searchDirectory(_ call: Call, _ session: CallerSession) async throws -> Answer {
        guard let name = try call.incoming.parameter("name") else {
            throw ServerError(.malformed, "The query's “name” is missing.", path: "?name")
        }
        return try await call.ration.run(searching) {
            call.ration.charge(searching)
            return try Answer(
                json: try await call.database.read { try ProfileViewing($0).find(name, for: session.account) })
        }
    }

    static func putPicture(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let hash = try call.path.hash()
        let (bytes, type) = try await call.readPicture()
        call.ration.charge(WorkUnits.bytes(bytes.count))
        try await call.ration.run(WorkUnits.bytes(bytes.count)) {
            try await PictureService(database: call.database).put(
                bytes, type, hash: hash, of: session.account, at: call.now)
        }
        return Answer(.noContent)
    }

    static func showPicture(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let (account, size) = (try call.path.account(), try call.path.size())
        return try await call.ration.run(WorkUnits.bytes(size.limit)) {
            let (picture, hash) = try await PictureService(database: call.database).picture(
                size, of: account, to: session.account)
            call.ration.charge(WorkUnits.bytes(picture.bytes.count))
            return Answer(picture, hash, call.incoming)
        }
    }

    static func showPresence(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let presence = PresenceService(database: call.database, hub: call.api.live.hub)
        return try Answer(json: try await presence.presence(of: try call.path.account(), to: session.account))
    }

    static func setPresence(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let device: DeviceID = try call.incoming.identifier("device")
        let request = try await call.read(PresenceRequest.self)
        try await PresenceService(database: call.database, hub: call.api.live.hub).set(
            try request.state.chosen(at: "$.state"), of: session.account, device, signals: call.api.signals)
        return Answer(.noContent)
    }
}

extension Answer {
    /// A picture, unless the client has it already. The client asks again each time, because the picture may be hidden
    /// by then.
    fileprivate init(_ picture: Pictures.Picture, _ hash: String, _ incoming: Incoming) {
        let tag = "\"\(hash)\""
        let isKnown = incoming.has(tag)
        self.init(
            isKnown ? .notModified : .ok, headers: [.eTag: tag, .cacheControl: "private, no-cache"],
            body: isKnown ? Data() : picture.bytes)
        if !isKnown { headers[.contentType] = picture.type.rawValue }
    }
}

extension Call {
    /// Reads the body, which must be a picture of a supported type, of at most ``Limits/largePicture`` bytes.
    fileprivate func readPicture() async throws -> (bytes: Data, type: PictureType) {
        guard let type = incoming.mediaType.flatMap(PictureType.init), incoming.isUnencoded else {
            let types = PictureType.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServerError(
                .unsupportedType, "Send the picture as one of \(types), without a Content-Encoding.")
        }
        return (try await bytes(upTo: Limits.largePicture, else: .pictureTooLarge), type)
    }
}

extension Incoming {
    /// The presence that the device requests when it opens a live stream; nil if it requests none.
    func presence() throws(ServerError) -> Presence.State? {
        guard let word = try parameter("presence") else { return nil }
        guard let state = Presence.State(rawValue: word) else {
            throw ServerError(
                .malformed, "The query's “presence” is not one of \(Presence.State.choices).", path: "?presence")
        }
        return try state.chosen(at: "?presence")
    }
}

extension Presence.State {
    /// The permitted words, as a list in a sentence.
    fileprivate static let choices = allCases.filter { $0 != .offline }.map(\.rawValue).joined(separator: ", ")

    /// The state, if a client can choose it. An offline device has no stream, so it cannot choose `offline`.
    fileprivate func chosen(at path: String) throws(ServerError) -> Presence.State {
        if self != .offline { return self }
        throw ServerError(
            .malformed, "A client cannot choose to be offline. Close the live stream, or be invisible.", path: path)
    }
}
