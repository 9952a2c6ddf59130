import KithModel

/// The requests of devices to private discovery.
enum DiscoveryOperations {
    static func show(_ call: Call, _ session: CallerSession) async throws -> Answer {
        try Answer(json: try await call.api.features.discovery.describe(for: session.account, at: call.now))
    }

    static func evaluate(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let request = try await call.read(EvaluationRequest.self)
        call.ration.charge(WorkUnits.evaluations(request.elements.count))
        return try Answer(
            json: try await call.api.features.discovery.evaluate(
                request, by: session.account, at: call.now, scheduler: call.ration))
    }

    static func showBuckets(_ call: Call, _ session: CallerSession) async throws -> Answer {
        let request = try await call.read(BucketRequest.self)
        return try await call.ration.run(WorkUnits.bytes(Limits.pageBytes)) {
            let answer = Answer(bytes: try await call.api.features.discovery.look(request, at: call.now).data)
            call.ration.charge(WorkUnits.bytes(answer.size))
            return answer
        }
    }

    static func showFilter(_ call: Call, _ session: CallerSession) async throws -> Answer {
        guard let key = try call.incoming.parameter("key") else {
            throw ServerError(.malformed, "The query's “key” is missing.", path: "?key")
        }
        return try await call.ration.run(WorkUnits.bytes(Limits.pageBytes)) {
            let answer = Answer(bytes: try await call.api.features.discovery.filter(of: key, at: call.now))
            call.ration.charge(WorkUnits.bytes(answer.size))
            return answer
        }
    }
}
