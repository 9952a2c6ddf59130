import Foundation
package import KithModel

/// The part of the funnel that an operator wants to see: the fields of a form.
package struct FunnelFilter: Hashable, Sendable {
    /// The programme; nil for all.
    package var programme: String?
    /// The channel; nil for all.
    package var channel: ShareChannel?
    /// The days, counted from 1970.
    package var days: ClosedRange<Int64>

    /// The days that are shown unless others are wanted.
    private static let usual: Int64 = 30
    /// The largest number of days.
    private static let most: Int64 = 3_660

    package init(programme: String? = nil, channel: ShareChannel? = nil, days: ClosedRange<Int64>) {
        (self.programme, self.channel, self.days) = (programme, channel, days)
    }

    /// Reads the fields `programme`, `channel`, `from` and `through`. A field that is empty or cannot be read has its usual
    /// value: everything, and the 30 days before the last one, which is today. Days in the wrong order are exchanged. The
    /// future has no numbers, so a later day is today; a day before 1970 is the first of 1970.
    package init(_ field: (String) -> String?, at now: Timestamp) {
        programme = field("programme").flatMap { $0.isEmpty || $0.utf8.count > 100 ? nil : $0 }
        channel = field("channel").flatMap { ShareChannel(rawValue: $0) }
        let today = now.day
        let through = min(field("through").flatMap { Self.day($0) } ?? today, today)
        let from = min(field("from").flatMap { Self.day($0) } ?? through - Self.usual + 1, today)
        let last = max(0, from, through)
        days = max(0, min(from, through), last - Self.most + 1)...last
    }

    /// The day of a date such as `2027-01-15`, counted from 1970; nil if the text is none. An earlier date is day 0.
    package static func day(_ text: String) -> Int64? {
        if text < "1970", text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil { return 0 }
        guard text.utf8.count == 10, let date = try? Date.ISO8601FormatStyle().year().month().day().parse(text)
        else { return nil }
        let day = Timestamp(date).day
        return Funnel.date(ofDay: day) == text ? day : nil
    }

    /// The first day as a date.
    package var from: String { Funnel.date(ofDay: days.lowerBound) }

    /// The last day as a date.
    package var through: String { Funnel.date(ofDay: days.upperBound) }

    /// The fields as the query of an address.
    package var query: String {
        var fields: [(name: String, value: String)] = []
        if let programme { fields.append(("programme", programme)) }
        if let channel { fields.append(("channel", channel.rawValue)) }
        fields.append(("from", from))
        fields.append(("through", through))
        return String(decoding: FormFields(fields).encoded, as: UTF8.self)
    }

    /// The numbers of the channel.
    package func filtered(_ funnel: Funnel) -> Funnel {
        guard let channel else { return funnel }
        return Funnel(rows: funnel.rows.filter { $0.channel == channel })
    }
}
