import Foundation
import HTTPTypes
import KithModel

/// The operations for the machines that monitor the server: whether it is alive and ready, its metrics, and its
/// description.
enum MonitoringOperations {
    static func health(_ call: Call) async throws -> Answer { try Answer(json: ["status": "alive"]) }

    static func ready(_ call: Call) async throws -> Answer {
        if call.api.live.gate.isClosing { throw ServerError.closing }
        let database = try await call.api.ready.check()
        return try Answer(json: Readiness(server: call.database.server, database: database))
    }

    static func metrics(_ call: Call) async throws -> Answer {
        let (api, metrics) = (call.api, call.api.metrics)
        metrics.running(api.live.gate.running)
        metrics.connections(
            api.live.connections.count, unwritten: api.live.connections.unwritten, bodies: api.live.connections.bodies)
        metrics.waiting(api.live.work.waiting)
        metrics.streams(api.live.hub.count + api.live.listStreams.count)
        let type = "text/plain; version=0.0.4; charset=utf-8"
        return Answer(.ok, headers: [.contentType: type], body: Data(metrics.registry.text.utf8))
    }

    static func description(_ call: Call) async throws -> Answer {
        try call.api.live.gate.pass(address: call.incoming.address)
        return APIDescription.answer(to: call.incoming)
    }
}
