import Foundation
import HTTPTypes
import Hummingbird
import KithModel
import Logging
import NIOCore

/// Stands between sockets and the API: lets requests in, sends answers and problems, measures and logs both.
struct Responder: HTTPResponder {
    /// What is known of a request beside itself.
    struct Context: InitializableFromSource, Sendable {
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            channel = source.channel
        }
    }

    let api: API
    let connections: Connections
    let logger: Logger

    func respond(to request: Request, context: Context) async throws -> Response {
        let start = api.clock.uptime()
        // It may have gone since its request came.
        let connection = connections.connection(of: context.channel)
        let peer = connection?.peer ?? Connections.address(of: context.channel)
        let address = connections.client(of: peer, forwarded: request.headers[values: .xForwardedFor])
        let incoming = Incoming(
            headers: request.headers, query: request.uri.query, address: address, body: request.body,
            room: BodyRoom(of: address, in: connections), bodyTime: connections.limits.bodyTime)
        let found = Endpoint.find(request.method, request.uri.path)
        var answer: Answer
        var place: Gate.Place?
        do {
            if found.endpoint?.caller != .operating { place = try api.gate.enter(incoming.address) }
            answer = try await self.answer(found, request.method, incoming)
        } catch {
            answer = tell(error, of: found)
            if answer.status == .tooManyRequests { await holdBack(&place) }
        }
        if let place {
            // Until its answer is written, a request takes up memory. A live stream has limits of its own.
            if case .bytes = answer.body, let connection { connection.hold(place) } else { place.leave() }
        }
        let duration = api.clock.uptime() - start
        api.metrics.answered(found.endpoint, answer.status, after: duration)
        logger.debug(
            "Answered.",
            metadata: [
                "operation": "\(found.endpoint?.name ?? "none")", "status": "\(answer.status.code)",
                "milliseconds": "\(duration.milliseconds)",
            ])
        answer.finish(for: incoming)
        return response(to: request, answer)
    }

    /// Makes a client that asks too fast wait, because refusals alone could keep the server busy. It holds no place.
    private func holdBack(_ place: inout Gate.Place?) async {
        place?.leave()
        place = nil
        let pause = connections.limits.refusalPause
        if pause > .zero { try? await api.clock.sleep(pause) }
    }

    private func answer(
        _ found: Endpoint.Found, _ method: HTTPRequest.Method, _ incoming: Incoming
    ) async throws -> Answer {
        switch found {
        case .endpoint(let endpoint): return try await api.answer(endpoint, incoming)
        case .wrongMethod(let allowed):
            try api.gate.pass(address: incoming.address)
            throw ServerError.wrongMethod(method, allowed: allowed)
        case .nothing:
            try api.gate.pass(address: incoming.address)
            throw ServerError.nothingHere
        }
    }

    /// Makes a problem of an error, and leaves in the log what the problem does not tell.
    private func tell(_ error: any Error, of found: Endpoint.Found) -> Answer {
        var random = SystemRandomNumberGenerator()
        let id = UUID.version7(time: api.clock.time(), using: &random).text
        // What a shutdown cuts off, breaks off somewhere: that is no mistake.
        let error = api.gate.isClosing && !(error is ServerError) ? ServerError.closing : ServerError.told(error)
        var problem = Problem(error, id: id)
        // A device with a token for another server sees so, and does not take its own token for revoked.
        if problem.status == 401 || found.endpoint == .ready { problem.server = api.database.server }
        var details: Logger.Metadata = [
            "id": "\(id)", "operation": "\(found.endpoint?.name ?? "none")", "code": "\(problem.code.rawValue)",
        ]
        let isOurs = problem.status >= 500
        if isOurs { details["cause"] = "\(error)" }
        // What is malformed is quoted to its sender, and its path has names of theirs. Either may be a secret in the wrong
        // place, and is not for the log.
        let isQuoting = problem.code == .malformed
        let sentence = isQuoting ? "The request is malformed." : problem.detail
        if !isQuoting, let path = problem.path { details["path"] = "\(path)" }
        // Whoever is too fast, or finds the server busy, is counted by the metrics: lines would only fill the disk.
        // Nor does it help to know what programs ask for that try every path.
        let isMany =
            problem.status == 429 || found.endpoint == nil
            || (problem.code == .busy && (error as? ServerError)?.cause == nil)
        logger.log(level: isMany ? .debug : isOurs ? .error : .info, "\(sentence)", metadata: details)
        if case .wrongMethod(let allowed) = found { return Answer(problem, allowed: allowed) }
        return Answer(problem)
    }

    private func response(to request: Request, _ answer: Answer) -> Response {
        switch answer.body {
        case .bytes(let data):
            var headers = answer.headers
            let isWithout = answer.status == .noContent || answer.status == .notModified
            if !isWithout { headers[.contentLength] = String(data.count) }
            let isHeadOnly = request.method == .head || isWithout
            let body = isHeadOnly ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: data))
            var response = Response(status: answer.status, headers: headers, body: body)
            if isWithout { response.headers[.contentLength] = nil }
            return response
        case .events(let stream):
            if request.method == .head { return Response(status: answer.status, headers: answer.headers) }
            let (database, hub) = (api.database, api.hub)
            let events = EventStream(stream) {
                try await ReadableFeeds.of($0, in: database)
            } arrive: {
                await hub.arrive($0, in: database)
            }
            let (body, logger) = (request.body, logger)
            return Response(
                status: answer.status, headers: answer.headers,
                body: ResponseBody { writer in
                    do {
                        try await body.consumeWithInboundCloseHandler { _ in
                            try await events.run { try await writer.write(ByteBuffer(bytes: $0)) }
                        } onInboundClosed: {
                            stream.end()
                        }
                    } catch {
                        logger.debug("A live stream broke off.", metadata: ["cause": "\(error)"])
                    }
                    try await writer.finish(nil)
                })
        }
    }
}

extension Endpoint.Found {
    var endpoint: Endpoint? { if case .endpoint(let endpoint) = self { endpoint } else { nil } }
}

extension Answer {
    /// Compresses the body where that is wanted and worth it, and adds the headers that every answer has.
    mutating func finish(for incoming: Incoming) {
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        compress(for: incoming)
    }

    /// Compresses the body, if it is not yet, where that is wanted and worth it.
    mutating func compress(for incoming: Incoming) {
        guard headers[.vary] == nil else { return }
        guard case .bytes(let data) = body, data.count >= Gzip.threshold,
            headers[.contentType] != "application/octet-stream"
        else { return }
        // A picture is compressed already, and its tag is that of its own bytes.
        if headers[.eTag] != nil { return }
        headers[.vary] = "Accept-Encoding"
        guard incoming.acceptsGzip, let compressed = try? Gzip.compress(data) else { return }
        headers[.contentEncoding] = "gzip"
        body = .bytes(compressed)
    }
}
