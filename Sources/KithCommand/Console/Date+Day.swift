import Foundation

extension Date {
    /// The day and the minute, in this device's time zone: `2026-03-01 12:00`.
    package var day: String {
        // Without seconds. Only the time of a retry needs them.
        String(second.dropLast(3))
    }

    /// The same with seconds: `2026-11-21 15:37:04`.
    package var second: String {
        formatted(
            .verbatim(
                "\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
                timeZone: .current, calendar: Calendar(identifier: .gregorian)))
    }
}
