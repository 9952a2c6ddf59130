/// A date, possibly partial, possibly with a time and its zone, as vCards write it.
///
/// It follows RFC 6350, section 4.3, and ISO 8601 as older versions used it, with and without hyphens and colons.
struct DateAndTime {
    /// A time of day, in the zone that is this many minutes ahead of UTC; nil if the text names no zone.
    struct Time {
        var hour = 0
        var minute = 0
        var second = 0
        /// The digits of the second's fraction, without trailing zeros.
        var fraction = ""
        var zone: Int?
    }

    var year: Int?
    var month: Int?
    var day: Int?
    var time: Time?

    /// Parses `text`; nil if it is no date, or one that does not exist in the calendar.
    init?(_ text: String) {
        guard let result = Self.written(text), result.isInCalendar else { return nil }
        self = result
    }

    /// Whether `text` has the form of a date that does not exist in the calendar: 30 February.
    static func isImpossible(_ text: String) -> Bool { written(text).map { !$0.isInCalendar } ?? false }

    private static func written(_ text: String) -> DateAndTime? {
        var text = text
        return text.withUTF8 { utf8 in
            var scan = Digits(utf8)
            return Self(&scan)
        }
    }

    private init?(_ scan: inout Digits) {
        scan.skipSpaces()
        guard readDate(&scan) else { return nil }
        if scan.take("T") || scan.take("t") || scan.take(" ") && !scan.isAtEnd {
            guard let time = Time(&scan) else { return nil }
            self.time = time
        }
        scan.skipSpaces()
        // Only a complete date can have a time.
        guard scan.isAtEnd, time == nil || year != nil && month != nil && day != nil else { return nil }
    }

    private init() {}

    private mutating func readDate(_ scan: inout Digits) -> Bool {
        self = Self()
        guard scan.take("-") else { return readFullDate(&scan) }
        guard scan.take("-") else { return false }
        if scan.take("-") {
            day = scan.number(2)
            return day != nil
        }
        month = scan.number(2)
        guard month != nil else { return false }
        if scan.take("-") || scan.isAtDigit {
            day = scan.number(2)
            return day != nil
        }
        return true
    }

    private mutating func readFullDate(_ scan: inout Digits) -> Bool {
        year = scan.number(4)
        guard year != nil else { return false }
        guard scan.take("-") || scan.isAtDigit else { return true }
        month = scan.number(2)
        guard month != nil else { return false }
        guard scan.take("-") || scan.isAtDigit else { return true }
        day = scan.number(2)
        return day != nil
    }

    private var isInCalendar: Bool {
        if let month, !(1...12 ~= month) { return false }
        guard let day else { return true }
        return 1...(month.map { CivilDay.count(inMonth: $0, of: year) } ?? 31) ~= day
    }
}

extension DateAndTime.Time {
    fileprivate init?(_ scan: inout Digits) {
        self.init()
        guard let hour = scan.number(2) else { return nil }
        self.hour = hour
        if scan.take(":") || scan.isAtDigit {
            guard let minute = scan.number(2) else { return nil }
            self.minute = minute
            if scan.take(":") || scan.isAtDigit {
                guard let second = scan.number(2) else { return nil }
                self.second = second
            }
        }
        if scan.take(".") || scan.take(",") { fraction = scan.digits() }
        while fraction.last == "0" { fraction.removeLast() }
        guard readZone(&scan) else { return nil }
        guard hour < 24, minute < 60, second < 61 else { return nil }
    }

    fileprivate mutating func readZone(_ scan: inout Digits) -> Bool {
        if scan.take("Z") || scan.take("z") {
            zone = 0
            return true
        }
        let isAhead = scan.take("+")
        guard isAhead || scan.take("-") else { return true }
        guard let hours = scan.number(2) else { return false }
        var minutes = 0
        if scan.take(":") || scan.isAtDigit {
            guard let number = scan.number(2) else { return false }
            minutes = number
        }
        zone = (hours * 60 + minutes) * (isAhead ? 1 : -1)
        return hours < 24 && minutes < 60
    }

    /// The time in RFC 3339 form, with another minute of the day.
    fileprivate func text(minute: Int) -> String {
        let clock = "\((minute / 60).padded(2)):\((minute % 60).padded(2)):\(second.padded(2))"
        return fraction.isEmpty ? clock : "\(clock).\(fraction)"
    }

    /// Whether it is midnight in its zone.
    var isMidnight: Bool { hour == 0 && minute == 0 && second == 0 && fraction.isEmpty }
}

extension DateAndTime {
    /// The moment in UTC in RFC 3339 form; nil if the date is partial. A time without a zone counts as UTC.
    var moment: String? {
        guard let year, let month, let day else { return nil }
        let time = time ?? Time()
        let minutes = time.hour * 60 + time.minute - (time.zone ?? 0)
        let days = CivilDay.number(year: year, month: month, day: day) + Int((Double(minutes) / 1440).rounded(.down))
        let date = CivilDay.date(days)
        let minute = (minutes % 1440 + 1440) % 1440
        return "\(Self.text(date))T\(time.text(minute: minute))Z"
    }

    /// The moment in its own zone in RFC 3339 form; nil if the text names no zone, or if the date is partial.
    var momentInItsZone: String? {
        guard let year, let month, let day, let time, let zone = time.zone else { return nil }
        let offset = "\(zone < 0 ? "-" : "+")\((abs(zone) / 60).padded(2)):\((abs(zone) % 60).padded(2))"
        let minute = time.hour * 60 + time.minute
        return "\(Self.text((year, month, day)))T\(time.text(minute: minute))\(zone == 0 ? "Z" : offset)"
    }

    private static func text(_ date: (year: Int, month: Int, day: Int)) -> String {
        "\(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2))"
    }

    /// The name of the time zone database for the UTC offset `text`; nil if there is none.
    ///
    /// The database has names for whole hours only, with the opposite sign: `-0500` is `Etc/GMT+5`.
    static func zoneName(ofOffset text: String) -> String? {
        var text = text
        let zone: Int? = text.withUTF8 { utf8 in
            var scan = Digits(utf8)
            var time = Time()
            return time.readZone(&scan) && scan.isAtEnd ? time.zone : nil
        }
        guard let zone, zone % 60 == 0, -12...14 ~= zone / 60 else { return nil }
        return zone == 0 ? "Etc/UTC" : "Etc/GMT\(zone > 0 ? "-" : "+")\(abs(zone / 60))"
    }

    /// The UTC offset for one of the names of ``zoneName(ofOffset:)``: `-05:00`; nil for any other name.
    static func offset(ofZone name: String) -> String? {
        (-12...14).lazy.map { hours in "\(hours < 0 ? "-" : "+")\(abs(hours).padded(2)):00" }
            .first { zoneName(ofOffset: $0) == name }
    }
}

/// The arithmetic of the Gregorian calendar.
private enum CivilDay {
    /// Days since 1 March of the year 0. Years that begin in March end with their leap day.
    static func number(year: Int, month: Int, day: Int) -> Int {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        return year * 365 + floor(year, 4) - floor(year, 100) + floor(year, 400) + (month * 306 + 5) / 10 + day - 1
    }

    /// The days of a month from 1 to 12; for February without a year, 29.
    static func count(inMonth month: Int, of year: Int?) -> Int {
        if month == 2 {
            guard let year else { return 29 }
            return year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    static func date(_ number: Int) -> (year: Int, month: Int, day: Int) {
        var year = floor(number * 400, 146_097)
        while Self.number(year: year + 1, month: 3, day: 1) <= number { year += 1 }
        while Self.number(year: year, month: 3, day: 1) > number { year -= 1 }
        let rest = number - Self.number(year: year, month: 3, day: 1)
        let month = (rest * 10 + 5) / 306
        let day = rest - (month * 306 + 5) / 10 + 1
        return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
    }

    private static func floor(_ number: Int, _ divisor: Int) -> Int {
        (number >= 0 ? number : number - divisor + 1) / divisor
    }
}

extension Int {
    /// The number with leading zeros, with this many digits.
    func padded(_ count: Int) -> String {
        let digits = String(self)
        return digits.utf8.count >= count ? digits : String(repeating: "0", count: count - digits.utf8.count) + digits
    }
}

/// Scans digits and separators.
private struct Digits {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    init(_ utf8: UnsafeBufferPointer<UInt8>) { rest = utf8[...] }

    var isAtEnd: Bool { rest.isEmpty }
    var isAtDigit: Bool { rest.first?.isDigit ?? false }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skipSpaces() {
        while take(" ") {}
    }

    /// The number of the next `count` digits; nil if there are fewer.
    mutating func number(_ count: Int) -> Int? {
        guard rest.count >= count else { return nil }
        var number = 0
        for byte in rest.prefix(count) {
            guard byte.isDigit else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        rest.removeFirst(count)
        return number
    }

    mutating func digits() -> String {
        let digits = rest.prefix(while: \.isDigit)
        rest.removeFirst(digits.count)
        return String(decoding: digits, as: UTF8.self)
    }
}
