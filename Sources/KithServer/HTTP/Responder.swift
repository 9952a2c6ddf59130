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
        let peer: IPAddress?

        init(source: ApplicationRequestContextSource) {
            peer = source.channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        }
    }

    let api: API
    let trustedProxies: [AddressRange]
    let bodyTime: Duration
    let logger: Logger

    func respond(to request: Request, context: Context) async throws -> Response {
        let start = api.clock.uptime()
        let incoming = Incoming(
            headers: request.headers, query: request.uri.query,
            address: AddressRange.client(
                peer: context.peer ?? .unknown, forwarded: request.headers[values: .xForwardedFor],
                trusted: trustedProxies),
            body: request.body, bodyTime: bodyTime)
        let found = Endpoint.find(request.method, request.uri.path)
        var answer: Answer
        do {
            answer = try await self.answer(found, request.method, incoming)
        } catch {
            answer = tell(error, of: found)
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

    private func answer(
        _ found: Endpoint.Found, _ method: HTTPRequest.Method, _ incoming: Incoming
    ) async throws -> Answer {
        if found.endpoint?.caller == .operating, case .endpoint(let endpoint) = found {
            return try await api.answer(endpoint, incoming)
        }
        try api.gate.enter()
        defer { api.gate.leave() }
        switch found {
        case .endpoint(let endpoint): return try await api.answer(endpoint, incoming)
        case .wrongMethod(let allowed): throw ServerError.wrongMethod(method, allowed: allowed)
        case .nothing: throw ServerError.nothingHere
        }
    }

    /// Makes a problem of an error, and leaves in the log what the problem does not tell.
    private func tell(_ error: any Error, of found: Endpoint.Found) -> Answer {
        var random = SystemRandomNumberGenerator()
        let id = UUID.version7(time: api.clock.time(), using: &random).text
        let problem = Problem(error, id: id)
        var details: Logger.Metadata = [
            "id": "\(id)", "operation": "\(found.endpoint?.name ?? "none")", "code": "\(problem.code.rawValue)",
        ]
        let isOurs = problem.status >= 500
        if isOurs { details["cause"] = "\(error)" }
        if let path = problem.path { details["path"] = "\(path)" }
        // What is malformed is quoted to its sender; it may be a secret in the wrong place, and is not for the log.
        let isQuoting = problem.code == .malformed
        let sentence = isQuoting ? "The request is malformed." : problem.detail
        logger.log(level: isOurs ? .error : .info, "\(sentence)", metadata: details)
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

extension IPAddress {
    /// Stands for a peer whose address cannot be told; all such share one bucket.
    fileprivate static let unknown = IPAddress(bytes: [0, 0, 0, 0])
}

extension Answer {
    /// Compresses the body where that is wanted and worth it, and adds the headers that every answer has.
    mutating func finish(for incoming: Incoming) {
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
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
