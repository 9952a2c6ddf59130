package import KithModel

/// Decides whether an SMS goes out, as a protection against SMS pumping.
///
/// It checks the country, whether the number is a mobile number, the number of messages to its prefix, how many of the
/// codes to its prefix were entered, and the number of parts of the day. All counts are in the database, so that they survive
/// a restart.
package struct SMSGuard: Sendable {
    package let countries: PhoneCountries
    /// The missing setting without which the server sends no codes by SMS; nil if none is missing.
    package let missingSetting: String?
    private let limits: PrefixLimits
    private let budget: DailyQuota
    /// How long a code can be entered.
    private let lifetime: Duration
    private let metrics: SMSMetrics?

    /// A guard with the operator's settings.
    ///
    /// - Parameters:
    ///   - settings: The countries and the limits.
    ///   - hasGateway: Whether the operator has named a gateway for SMS.
    ///   - lifetime: How long a code can be entered.
    ///   - metrics: Counts what is refused.
    /// - Throws: ``ServerError`` that names the setting that is missing or wrong.
    package init(
        _ settings: PhoneSettings, hasGateway: Bool, lifetime: Duration, metrics: SMSMetrics? = nil
    ) throws(ServerError) {
        guard hasGateway || settings.countries.isEmpty else {
            throw ServerError(
                .malformed,
                "sms-countries needs sms-url too. Set it, for example to https://api.example.com/2010-04-01, or to files for a trial."
            )
        }
        countries = try PhoneCountries(settings.countries, plan: settings.numberingPlan)
        missingSetting = hasGateway ? (settings.countries.isEmpty ? "sms-countries" : nil) : "sms-url"
        limits = settings.limits
        budget = DailyQuota(kind: "sms", noun: "parts of SMS", limit: settings.messagesADay, hasReserve: true)
        self.lifetime = lifetime
        self.metrics = metrics
    }

    /// A guard of a server that sends no SMS.
    package static let off = SMSGuard()

    private init() {
        countries = .none
        missingSetting = "sms-url"
        limits = PrefixLimits()
        budget = DailyQuota(kind: "sms", noun: "parts of SMS", limit: 0)
        lifetime = .zero
        metrics = nil
    }

    /// Whether the server sends SMS to the kind and the country of this number.
    package func reaches(_ number: E164) -> Bool { missingSetting == nil && countries.refusal(of: number) == nil }

    /// Why an SMS to a number is refused; nil if it may go out.
    ///
    /// It can pause the number's prefix: commit the transaction even if the SMS is refused. An SMS that nobody has asked
    /// for, such as an invitation, may use only a part of what can be sent in a day, and to the prefix in an hour.
    ///
    /// - Parameters:
    ///   - number: The recipient.
    ///   - parts: The parts of the SMS, each of which is paid; 1 if it is not composed yet.
    ///   - isAsked: Whether somebody has asked for it.
    ///   - now: The time.
    ///   - transaction: The transaction that queues the message.
    /// - Returns: The reason.
    /// - Throws: ``ServerError`` if the database fails.
    package func refusal(
        of number: E164, parts: Int = 1, isAsked: Bool = true, at now: Timestamp, in transaction: any Transaction
    ) throws -> SMSRefusal? {
        if let refusal = countries.refusal(of: number) { return refusal }
        let prefix = NumberPrefix(of: number)
        // Each SMS counts the previous ones to the prefix. Who locks feeds, or names of codes, has locked them before.
        try transaction.lockName(Secret.sha256("sms \(prefix.text)"))
        let state = try SMSTable.state(of: prefix, limits, lifetime: lifetime, at: now, in: transaction)
        switch state.verdict(limits, isAsked: isAsked, at: now) {
        case .open: break
        case .tooFast(let until): return .tooFast(until: until)
        case .paused: return .paused
        case .mustPause(let entered):
            try PausedPrefix(prefix: prefix, since: now, entered: entered, judged: state.outcomes.count)
                .insert(in: transaction)
            return .paused
        }
        let today = try budget.allowance(of: .everybody, isAsked: isAsked, at: now, in: transaction)
        return today.left < parts ? .budget(until: today.resets) : nil
    }

    /// Counts an SMS that goes out.
    ///
    /// - Parameters:
    ///   - id: The message, which is also the id of its code.
    ///   - number: The recipient.
    ///   - parts: The parts of the SMS.
    ///   - isCode: Whether it has a code, by which the prefix is judged.
    ///   - now: The time.
    ///   - transaction: The transaction that queues the message.
    /// - Throws: ``ServerError`` with the code `quotaExceeded` if the SMS of the day are used up.
    package func note(
        _ id: RecordID<Never>, to number: E164, parts: Int, isCode: Bool, at now: Timestamp,
        in transaction: any Transaction
    ) throws {
        try SMSTable.insert(id, NumberPrefix(of: number), isCode: isCode, at: now, in: transaction)
        try budget.take(parts, by: .everybody, at: now, in: transaction)
    }

    /// Notes that the code of a message was entered.
    package func enter(_ id: RecordID<Never>, in transaction: any Transaction) throws {
        try SMSTable.enter(id, in: transaction)
    }

    /// Counts a refusal for the operator. Call it after the commit.
    package func report(_ refusal: SMSRefusal) { metrics?.count(refusal) }
}
