public import Metrics
import Synchronization

/// All metrics of a server, in Prometheus' text format.
///
/// It is a factory of swift-metrics, so it can also hold the metrics of libraries (`MetricsSystem.bootstrap`).
/// Characters of a name other than letters, digits and underscores become underscores. Counters end in `_total`,
/// timers in `_seconds`.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The maximum number of series. Further series are not shown.
    public static let capacity = 4_096

    private let families = Mutex(Families())

    /// An empty registry.
    public init() {}

    /// Makes this registry the factory of the whole process. Call it once per process, before anything measures.
    public func adoptProcess() { MetricsSystem.bootstrap(self) }

    /// The sum of the counters of a family.
    ///
    /// - Parameters:
    ///   - name: The name of the family: `kith_requests_total`.
    ///   - label: Part of the labels of the counters that count: `status="5`; nil for all.
    /// - Returns: The sum; 0 if there is no such counter.
    package func total(of name: String, where label: String? = nil) -> Int {
        families.withLock { families in
            (families.series[name] ?? [:]).reduce(0) { sum, member in
                guard let counter = member.value as? CounterSeries else { return sum }
                return sum + (label.map { member.key.contains($0) } ?? true ? Int(counter.count) : 0)
            }
        }
    }

    /// Sets the description of a metric for the `HELP` line.
    package func describe(_ name: String, _ help: String) {
        families.withLock { $0.help[name] = help }
    }

    /// All metrics, in version 0.0.4 of the text format.
    public var text: String {
        families.withLock { $0.text }
    }

    /// Makes a counter, or returns the existing one.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, "_total", dimensions) { CounterSeries() }
    }

    /// Makes a gauge, or returns the existing one.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, "", dimensions) { GaugeSeries() }
    }

    /// Makes a histogram of amounts, or a gauge if `aggregate` is false.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate {
            series(label, "", dimensions) { HistogramSeries(bounds: HistogramSeries.amounts) }
        } else {
            series(label, "", dimensions) { GaugeSeries() }
        }
    }

    /// Makes a histogram of seconds, or returns the existing one.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, "_seconds", dimensions) { HistogramSeries(bounds: HistogramSeries.seconds) }
    }

    /// Does nothing. A series stays, because Prometheus expects that counters do not vanish.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing.
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func series<Kind: Series>(
        _ label: String, _ suffix: String, _ dimensions: [(String, String)], make: () -> Kind
    ) -> Kind {
        let clean = String(label.unicodeScalars.map { Self.isAllowed($0) ? Character($0) : "_" })
        let name = clean.hasSuffix(suffix) ? clean : clean + suffix
        let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return families.withLock { families in
            // Two kinds of metric with the same name are a mistake. The second is measured but not shown.
            if let known = families.series[name]?[labels] { return known as? Kind ?? make() }
            let made = make()
            let fits = families.series[name]?.first.map { type(of: $0.value) == Kind.self } ?? true
            if fits && families.count < Self.capacity {
                families.series[name, default: [:]][labels] = made
                families.count += 1
            }
            return made
        }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_")
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return text
    }
}

/// The series by name and labels.
private struct Families: Sendable {
    var series: [String: [String: any Series]] = [:]
    var help: [String: String] = [:]
    var count = 0

    var text: String {
        var text = ""
        for (name, members) in series.sorted(by: { $0.key < $1.key }) {
            guard let kind = members.first.map({ type(of: $0.value).kind }) else { continue }
            if let help = help[name] { text += "# HELP \(name) \(help)\n" }
            text += "# TYPE \(name) \(kind)\n"
            for (labels, series) in members.sorted(by: { $0.key < $1.key }) {
                series.write(to: &text, name: name, labels: labels)
            }
        }
        return text
    }
}

/// The values of one metric under one set of labels.
private protocol Series: AnyObject, Sendable {
    static var kind: String { get }
    func write(to text: inout String, name: String, labels: String)
}

private final class CounterSeries: Series, CounterHandler {
    static let kind = "counter"
    private let value = Atomic<Int64>(0)

    var count: Int64 { value.load(ordering: .relaxed) }

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }

    func write(to text: inout String, name: String, labels: String) {
        text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value.load(ordering: .relaxed))\n"
    }
}

private final class GaugeSeries: Series, MeterHandler, RecorderHandler {
    static let kind = "gauge"
    private let value = Mutex(0.0)

    func set(_ new: Int64) { set(Double(new)) }
    func set(_ new: Double) { value.withLock { $0 = new } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ new: Int64) { set(Double(new)) }
    func record(_ new: Double) { set(new) }

    func write(to text: inout String, name: String, labels: String) {
        text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value.withLock { $0 })\n"
    }
}

private final class HistogramSeries: Series, RecorderHandler, TimerHandler {
    static let kind = "histogram"
    /// From one millisecond, the time of a round with nothing new, to ten seconds, after which a device gives up.
    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    static let amounts: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000]

    private struct State {
        var counts: [Int64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        self.state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.sum += value
        }
    }

    func write(to text: inout String, name: String, labels: String) {
        let state = state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : labels + ","
        var total: Int64 = 0
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], state.counts) {
            total += count
            text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)\n"
        }
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(braces) \(state.sum)\n\(name)_count\(braces) \(total)\n"
    }
}
