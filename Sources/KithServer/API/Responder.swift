import Foundation
import HTTPTypes
import Hummingbird
import KithModel
import Logging
import NIOCore

/// Connects the HTTP server with the API: admits requests, sends answers and problems, and measures and logs both.
struct Responder: Sendable {
    /// The context of a request.
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    /// The target of a request's method and path.
    private enum Route {
        case operation(APIOperation, PathParameters)
        /// The path exists, but not with this method. If it is only that of a form, `page` is the page that has the form.
        case wrongMethod(allowed: [HTTPRequest.Method], page: String?)
        /// A page with a slash at the end of its path, and its address without it.
        case slash(String)
        /// There is no such path, or an id in it is not a UUID.
        case nothing

        var operation: APIOperation? { if case .operation(let operation, _) = self { operation } else { nil } }
        /// The name for logs and metrics.
        var name: String { operation?.name ?? "none" }
        /// Whether a browser gets a page instead of a problem. Somebody may have opened a part of a link.
        var hasPages: Bool { operation?.hasPages ?? true }
    }

    let api: API
    let connections: Connections
    let logger: Logger

    /// Finds the operation of each request in the table ``APIOperations``.
    var router: CallbackResponder<Context> {
        let router = Router(context: Context.self)
        for operation in APIOperations.all {
            for method in operation.methods {
                router.on(RouterPath(operation.path), method: method) { request, context in
                    await respond(to: request, context, route(to: operation, request, context))
                }
            }
        }
        // Middleware that is added last runs only for requests without a route.
        router.add(middleware: Unrouted { await respond(to: $0, $1, route(ofUnrouted: $0)) })
        let routed = router.buildResponder()
        // The router looks for each part of a path. A path without parameters, as most requests have, is found as a whole.
        let whole = Dictionary(grouping: APIOperations.all.filter { !$0.path.contains("{") }, by: \.path)
        return CallbackResponder { request, context in
            guard let operation = whole[request.uri.path]?.first(where: { $0.methods.contains(request.method) }) else {
                return try await routed.respond(to: request, context: context)
            }
            return await respond(to: request, context, .operation(operation, .none))
        }
    }

    private func route(to operation: APIOperation, _ request: Request, _ context: Context) -> Route {
        let path = request.uri.path
        guard path.hasEmptyPart else {
            return PathParameters(context.parameters).map { Route.operation(operation, $0) } ?? .nothing
        }
        let shorter = String(path.dropLast())
        guard operation.hasPages, operation.method == .get, path.hasSuffix("/"), !shorter.hasEmptyPart else {
            return .nothing
        }
        return .slash(shorter + (request.uri.query.map { "?\($0)" } ?? ""))
    }

    private func route(ofUnrouted request: Request) -> Route {
        let path = request.uri.path
        let methods = APIOperations.methods(at: path)
        guard !methods.isEmpty else { return .nothing }
        let isForm = methods == [.post] && APIOperations.all.contains { $0.path == path && $0.hasPages }
        let page = path.lastIndex(of: "/").map { String(path[..<$0]) }
        return .wrongMethod(allowed: methods, page: isForm ? page : nil)
    }

    private func respond(to request: Request, _ context: Context, _ route: Route) async -> Response {
        let start = api.clock.uptime()
        // The connection may have been closed since the request arrived.
        let connection = connections.connection(of: context.channel)
        let peer = connection?.peer ?? Connections.address(of: context.channel)
        let address = connections.client(of: peer, forwarded: request.headers[values: .xForwardedFor])
        let incoming = Incoming(
            method: request.method, path: request.uri.path, authority: request.head.authority, headers: request.headers,
            query: request.uri.query, address: address, body: request.body, isWhole: connection?.isWhole ?? false,
            room: BodyRoom(of: address, in: connections), bodyTime: connections.limits.bodyTime,
            isHTTP10: connection?.isHTTP10 ?? false)
        var answer: Answer
        var place: Gate.Place?
        do {
            if route.operation?.access.isMonitoring != true { place = try api.live.gate.enter(incoming.address) }
            answer = try await self.answer(route, request.method, incoming)
        } catch {
            answer = problem(for: error, of: route, to: incoming)
        }
        if answer.status == .tooManyRequests { await holdBack(&place) }
        if let place {
            // A request uses memory until its answer is written. A live stream has its own limits.
            if case .bytes = answer.body, let connection { connection.hold(place) } else { place.leave() }
        }
        let duration = api.clock.uptime() - start
        api.metrics.answered(route.name, answer.status, after: duration)
        logger.debug(
            "Answered.",
            metadata: [
                "operation": "\(route.name)", "status": "\(answer.status.code)",
                "milliseconds": "\(duration.milliseconds)",
            ])
        answer.finish(for: incoming)
        return response(to: request, on: context.channel, answer)
    }

    /// Delays the refusal of a client that exceeds its rate limit, because refusals alone could keep the server busy.
    /// It gives back the request's place first.
    private func holdBack(_ place: inout Gate.Place?) async {
        place?.leave()
        place = nil
        let pause = connections.limits.refusalPause
        if pause > .zero { try? await api.clock.sleep(pause) }
    }

    private func answer(
        _ route: Route, _ method: HTTPRequest.Method, _ incoming: Incoming
    ) async throws -> Answer {
        switch route {
        case .operation(let operation, let path): return try await api.perform(operation, path, incoming)
        case .wrongMethod(_, let page?) where method == .get && incoming.prefersHTML:
            try api.live.gate.pass(address: incoming.address)
            return Answer(.seeOther, headers: [.location: api.origin.root + page, .referrerPolicy: "no-referrer"])
        case .wrongMethod(let allowed, _):
            try api.live.gate.pass(address: incoming.address)
            throw ServerError.wrongMethod(method, allowed: allowed)
        case .slash(let address) where incoming.prefersHTML:
            try api.live.gate.pass(address: incoming.address)
            return Answer(.seeOther, headers: [.location: api.origin.root + address, .referrerPolicy: "no-referrer"])
        case .slash, .nothing:
            try api.live.gate.pass(address: incoming.address)
            throw ServerError.nothingHere
        }
    }

    /// The problem of an error as an answer. Logs what the problem does not reveal.
    private func problem(for error: any Error, of route: Route, to incoming: Incoming) -> Answer {
        var random = SystemRandomNumberGenerator()
        let id = UUID.version7(time: api.clock.time(), using: &random).text
        // A shutdown interrupts requests anywhere. That is not a mistake of the server.
        let error = api.live.gate.isClosing && !(error is ServerError) ? ServerError.closing : error
        var problem = Problem(error, id: id)
        // The id tells a device that its token belongs to another server, so that it does not treat the token as
        // revoked.
        if problem.status == 401 || route.name == "ready" { problem.server = api.database.server }
        var details: Logger.Metadata = [
            "id": "\(id)", "operation": "\(route.name)", "code": "\(problem.code.rawValue)",
        ]
        let isOurs = problem.status >= 500
        if isOurs { details["cause"] = "\(error)" }
        // The sentence and the path of a refusal can quote the request or its subject: an email, the name of a list, or a
        // secret in the wrong place. They are not logged.
        let sentence = isOurs ? problem.detail : "The request was refused."
        // The metrics count refusals and busy answers. Log lines about them, or about scanners that try every path,
        // would only fill the disk. While the database fails, each request would have one.
        let cause = (error as? ServerError)?.cause
        let isLogged = (cause as? any DatabaseFailure)?.kind.isLasting == true && api.database.isFailing
        let isMany =
            problem.status == 429 || route.operation == nil || (problem.code == .busy && (cause == nil || isLogged))
        logger.log(level: isMany ? .debug : isOurs ? .error : .info, "\(sentence)", metadata: details)
        var allowed: [HTTPRequest.Method] = []
        if case .wrongMethod(let methods, _) = route { allowed = methods }
        var answer = Answer(problem, allowed: allowed)
        if route.hasPages, incoming.prefersHTML {
            let page = api.pages.answer(
                ProblemPage.page(problem, at: incoming.path), to: incoming, api.origin)
            answer.body = page.body
            for field in page.headers { answer.headers[field.name] = field.value }
        }
        return answer
    }

    private func response(to request: Request, on channel: any Channel, _ answer: Answer) -> Response {
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
            let (database, hub) = (api.database, api.live.hub)
            let events = DeviceEvents(stream) {
                try await ReadableFeeds.of($0, in: database)
            } arrive: {
                await hub.arrive($0, in: database)
            }
            return streaming(.device(events), on: channel, answer)
        case .listEvents(let events): return streaming(.page(events), on: channel, answer)
        case .noEvents:
            // The head has no Content-Length, as that of a stream. The end of the answer is not written, because it would be
            // the end of a chunked body; the connection closes instead.
            var headers = answer.headers
            headers[.connection] = "close"
            return Response(status: answer.status, headers: headers, body: ResponseBody { _ in throw StreamGoesOn() })
        }
    }

    /// Hands over the connection to a ``StreamWriter`` when the head is written. It writes events until their stream ends,
    /// or the client disconnects.
    private func streaming(_ events: ServerEvents, on channel: any Channel, _ answer: Answer) -> Response {
        Response(
            status: answer.status, headers: answer.headers,
            body: ResponseBody { [logger] _ in
                try await channel.eventLoop.submit {
                    try EventStreamHandler.begin(StreamWriter(events, to: channel, logger: logger), on: channel)
                }.get()
                // This ends the task of the connection, which would otherwise wait for the end of the answer.
                throw StreamGoesOn()
            })
    }
}

/// Tells Hummingbird that it has nothing more to do with a connection: a stream goes on without it, or the connection
/// closes.
private struct StreamGoesOn: Error {}

extension String {
    /// Whether a path has two slashes in a row, or one at its end. The router ignores them; here, such a path does not exist.
    /// Only a browser that opens a page with a slash at its end is sent to the page.
    fileprivate var hasEmptyPart: Bool {
        var isAfterSlash = false
        for byte in utf8 {
            let isSlash = byte == UInt8(ascii: "/")
            if isSlash && isAfterSlash { return true }
            isAfterSlash = isSlash
        }
        return isAfterSlash && self != "/"
    }
}

/// Answers the requests without a route.
private struct Unrouted: RouterMiddleware {
    let answer: @Sendable (Request, Responder.Context) async -> Response

    func handle(
        _ request: Request, context: Responder.Context,
        next: @concurrent (Request, Responder.Context) async throws -> Response
    ) async throws -> Response {
        await answer(request, context)
    }
}
