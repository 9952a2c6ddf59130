import ArgumentParser
import Foundation

/// A moment in the user's time zone: `2026-12-24T08:00`, `2026-12-24 08:00`, `2026-12-24`.
struct Moment: Hashable, Sendable, ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        if let date = try? Date(argument, strategy: .iso8601) {
            self.date = date
            return
        }
        let form = #/(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/#
        guard let match = argument.wholeMatch(of: form) else { return nil }
        let (_, year, month, day, hour, minute, second) = match.output
        var parts = DateComponents()
        (parts.year, parts.month, parts.day) = (Int(year), Int(month), Int(day))
        (parts.hour, parts.minute, parts.second) = (
            hour.flatMap { Int($0) }, minute.flatMap { Int($0) }, second.flatMap { Int($0) }
        )
        guard parts.isValidDate(in: .current), let date = Calendar.current.date(from: parts) else { return nil }
        self.date = date
    }

    /// Reads a moment from the command line, with an error that says how to write one.
    static func argument(_ text: String) throws -> Moment {
        if let moment = Moment(argument: text) { return moment }
        throw ValidationError(
            "“\(text)” is no time. Write 2026-12-24, 2026-12-24T08:00 in this zone, or 2026-12-24T08:00:00Z.")
    }
}
