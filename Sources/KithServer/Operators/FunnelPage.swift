import KithModel

/// The operator's page with the funnel: the numbers, their curves over time, and those who have brought the most.
package struct FunnelPage: Sendable {
    private let funnel: Funnel
    private let filter: FunnelFilter
    private let programmes: [String]
    private let ranking: AdvocateRanking

    /// The most channels that are shown. The others have one row.
    package static let channels = 100

    /// The page of a funnel.
    ///
    /// - Parameters:
    ///   - funnel: The numbers of the filter's programme and days, of all channels.
    ///   - filter: What is shown of it.
    ///   - programmes: The names of the programmes.
    ///   - ranking: Who has brought the most in these days.
    package init(_ funnel: Funnel, _ filter: FunnelFilter, programmes: [String], ranking: AdvocateRanking) {
        (self.funnel, self.filter, self.programmes, self.ranking) = (funnel, filter, programmes, ranking)
    }

    /// The page.
    package func page(_ frame: OperatorFrame) -> Page {
        let summary = FunnelSummary(filter.filtered(funnel), days: filter.days)
        let (channels, others) = summary.largestChannels(Self.channels)
        var byChannel = channels.map { channel in
            row(.text(channel.rawValue)) { summary.channels[channel]?[$0] ?? 0 }
        }
        if let others { byChannel.append(row(.phrase("funnel.others")) { others[$0] ?? 0 }) }
        let all = FunnelSummary(funnel, days: filter.days).largestChannels(Self.channels).shown
        var values: [String: PageValue] = [
            "programmes": SelectOptions.names(programmes, selected: filter.programme),
            "channels": SelectOptions.names(all.map(\.rawValue), selected: filter.channel?.rawValue),
            "from": .text(filter.from), "through": .text(filter.through), "query": .text(filter.query),
            "totals": totals(summary), "isEmpty": .flag(summary.totals.isEmpty),
            "hasAdvocates": .flag(!ranking.places.isEmpty), "advocates": advocates,
            "byChannel": .rows(byChannel),
        ]
        values.merge(plot(FunnelChart(summary))) { $1 }
        return frame.page(.funnel, .funnel, values)
    }

    private func totals(_ summary: FunnelSummary) -> PageValue {
        var before: Int?
        return .rows(
            Funnel.Step.allCases.map { step in
                let count = summary.totals[step] ?? 0
                var values: [String: PageValue] = [
                    "step": .text(step.rawValue), "label": .phrase("funnel.\(step.rawValue)"), "count": .number(count),
                ]
                if let all = before, all > 0 {
                    let percent = Int((100 * Double(count) / Double(all)).rounded())
                    values["part"] = .phrase("funnel.part", ["percent": String(percent)])
                }
                before = count
                return values
            })
    }

    private func row(_ head: PageValue, _ count: (Funnel.Step) -> Int) -> [String: PageValue] {
        var values = ["head": head]
        for step in Funnel.Step.allCases { values[step.rawValue] = .number(count(step)) }
        return values
    }

    /// The picture, and the table with the same numbers.
    private func plot(_ chart: FunnelChart) -> [String: PageValue] {
        let isDaily = chart.together == 1
        let ticks = chart.ticks.map { tick -> [String: PageValue] in
            ["y": .text(tick.height), "number": .number(tick.number)]
        }
        let marks = chart.marks.map { mark -> [String: PageValue] in
            ["x": .text(mark.place), "anchor": .text(mark.anchor), "date": .text(mark.date)]
        }
        let curves = chart.curves.map { curve -> [String: PageValue] in
            [
                "step": .text(curve.step.rawValue), "label": .phrase("funnel.\(curve.step.rawValue)"),
                "line": .text(curve.line), "area": .text(curve.area),
            ]
        }
        let byDay = chart.days.enumerated().map { index, day in
            row(.text(Funnel.date(ofDay: day))) { step in
                chart.curves.first { $0.step == step }?.numbers[index] ?? 0
            }
        }
        return [
            "width": .number(FunnelChart.width), "height": .number(FunnelChart.height),
            "left": .number(FunnelChart.left), "right": .number(FunnelChart.right),
            "bottom": .number(FunnelChart.bottom), "numbersEnd": .number(FunnelChart.left - 8),
            "datesTop": .number(FunnelChart.bottom + 22),
            "ticks": .rows(ticks), "marks": .rows(marks), "curves": .rows(curves), "byDay": .rows(byDay),
            "each": isDaily
                ? .phrase("funnel.each") : .phrase("funnel.several", ["days": String(chart.together)]),
            "dayHead": .phrase(isDaily ? "funnel.day" : "funnel.beginning"),
        ]
    }

    private var advocates: PageValue {
        .rows(
            ranking.places.map { place in
                var values: [String: PageValue] = [
                    "account": .text(place.account.description), "friends": .number(place.friends),
                    "rewards": .number(place.rewards),
                ]
                values["person"] = place.name.map(PageValue.text)
                return values
            })
    }
}
