import Foundation
import HTTPTypes
import KithModel

/// The operations for the machines that monitor the server: whether it is alive and ready, its metrics, and its
/// description.
enum MonitoringOperations {
    static func health(_ call: Call) async throws -> Answer { try Answer(json: ["status": "alive"]) }

    static func ready(_ call: Call) async throws -> Answer {
        if call.api.gate.isClosing { throw ServerError.closing }
        let database = try await call.api.ready.check()
        return try Answer(json: Readiness(server: call.database.server, database: database))
    }

    static func metrics(_ call: Call) async throws -> Answer {
        let (api, metrics) = (call.api, call.api.metrics)
        metrics.running(api.gate.running)
        metrics.connections(
            api.connections.count, unwritten: api.connections.unwritten, bodies: api.connections.bodies)
        metrics.waiting(api.work.waiting)
        metrics.streams(api.hub.count + api.listStreams.count)
        let type = "text/plain; version=0.0.4; charset=utf-8"
        return Answer(.ok, headers: [.contentType: type], body: Data(metrics.registry.text.utf8))
    }

    static func description(_ call: Call) async throws -> Answer {
        try call.api.gate.pass(address: call.incoming.address)
        return APIDescription.answer(to: call.incoming)
    }
}
