/// How the server is: whether it can serve, and a few numbers.
package struct ServerHealth: Hashable, Sendable {
    /// A number, with the name of its text.
    package struct Figure: Hashable, Sendable {
        let name: String
        let number: Int

        package init(_ name: String, _ number: Int) { (self.name, self.number) = (name, number) }
    }

    /// Why the server cannot serve; nil if it can.
    package let problem: String?
    /// Numbers of this moment.
    package let now: [Figure]
    /// Numbers that have grown since the server started.
    package let sinceStart: [Figure]

    package init(problem: String?, now: [Figure], sinceStart: [Figure]) {
        (self.problem, self.now, self.sinceStart) = (problem, now, sinceStart)
    }

    /// The operator's page about it.
    package func page(_ frame: OperatorFrame) -> Page {
        func rows(_ figures: [Figure]) -> PageValue {
            .rows(figures.map { ["label": .phrase("health.\($0.name)"), "number": .number($0.number)] })
        }
        var values: [String: PageValue] = [
            "isReady": .flag(problem == nil), "now": rows(now), "since": rows(sinceStart),
        ]
        values["problem"] = problem.map(PageValue.text)
        return frame.page(.health, .health, values)
    }
}
