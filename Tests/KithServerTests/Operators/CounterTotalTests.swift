import KithServer
import Metrics
import Testing

@Suite("The sum of a family of counters") struct CounterTotalTests {
    @Test("has all of them, or those with a label") func total() {
        let registry = PrometheusRegistry()
        for (status, count) in [("200", 5), ("404", 1), ("500", 2), ("503", 4)] {
            Counter(label: "kith_requests", dimensions: [("status", status)], factory: registry)
                .increment(by: count)
        }
        Timer(label: "kith_request", factory: registry).recordNanoseconds(1)
        #expect(registry.total(of: "kith_requests_total") == 12)
        #expect(registry.total(of: "kith_requests_total", where: #"status="5"#) == 6)
        #expect(registry.total(of: "kith_request_seconds") == 0 && registry.total(of: "nothing") == 0)
    }
}
