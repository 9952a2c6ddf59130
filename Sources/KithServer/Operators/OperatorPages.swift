package import KithModel

/// The pages of the operator: the funnel, the decisions about rewards, messages and webhooks, and how the server is.
///
/// Only an operator who has signed in sees them; see ``OperatorService``.
package struct OperatorPages: Sendable {
    /// The operators and their sessions.
    package let operators: OperatorService
    private let database: any Database
    private let referrals: ReferralService
    private let webhooks: WebhookService

    /// The pages of the operators of `database`.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - signals: Sends the signals of decisions.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, signals: SignalSender = .none,
        random: RandomBytes = .system
    ) {
        self.database = database
        operators = OperatorService(database: database, random: random)
        referrals = ReferralService(database: database, signals: signals, random: random)
        webhooks = WebhookService(database: database, random: random)
    }

    // MARK: Signing in

    /// The page on which an operator signs in, or how to add the first one.
    package func signInPage() async throws -> Page {
        try await operators.list().isEmpty ? OperatorSignInPage.withoutOperator : OperatorSignInPage.form()
    }

    // MARK: The funnel

    /// The numbers that a filter finds.
    package func funnel(_ filter: FunnelFilter) async throws -> Funnel {
        filter.filtered(try await funnelOfAllChannels(filter))
    }

    /// The page of the funnel.
    package func page(_ filter: FunnelFilter, _ frame: OperatorFrame) async throws -> Page {
        let start = Timestamp(day: filter.days.lowerBound)
        let end = Timestamp(day: filter.days.upperBound + 1)
        let ranking = try await database.read {
            try AdvocateRanking.read(of: filter.programme, from: start, until: end, in: $0)
        }
        return FunnelPage(
            try await funnelOfAllChannels(filter), filter, programmes: try await programmes(), ranking: ranking
        ).page(frame)
    }

    private func funnelOfAllChannels(_ filter: FunnelFilter) async throws -> Funnel {
        try await FunnelService(database: database).funnel(
            of: filter.programme, from: filter.days.lowerBound, through: filter.days.upperBound)
    }

    private func programmes() async throws -> [String] {
        try await ProgrammeService(database: database).list().map(\.programme.name)
    }

    // MARK: Referrals

    /// The page of the referrals that a filter finds.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - number: The number of the page, from 1.
    ///   - notice: What to say above them, if anything.
    ///   - frame: The frame of the page.
    /// - Returns: The page.
    /// - Throws: ``ServerError`` if the database fails.
    package func page(
        _ filter: ReferralFilter, number: Int = 1, _ notice: ReferralsPage.Notice? = nil, _ frame: OperatorFrame
    ) async throws -> Page {
        let number = min(max(1, number), ReferralsPage.pages)
        let rows = try await referrals.rows(
            filter.state, programme: filter.programme, reason: filter.reason, limit: ReferralsPage.size,
            offset: (number - 1) * ReferralsPage.size)
        let entries = rows.compactMap(\.self)
        let damaged = rows.count - entries.count
        let total = try await referrals.count(filter.state, programme: filter.programme, reason: filter.reason)
        let people = Set(entries.map(\.advocate) + entries.map(\.friend))
        let names = try await database.read { try ShownNames.read(people, in: $0) }
        return ReferralsPage(
            entries, filter, total: total, number: number, programmes: try await programmes(), names: names
        ).page(frame, notice ?? (damaged > 0 ? .damaged(damaged) : nil))
    }

    /// Decides about the referrals that a form names. All that match are decided only when the operator has confirmed that: then
    /// the form names those that the question was about, and the ones that are held still are decided.
    ///
    /// - Returns: What was done; nil if the operator must confirm it first.
    package func decide(_ form: ReferralsForm, at now: Timestamp) async throws -> [ReferralDecision]? {
        guard form.isSure || !form.action.isForAll else { return nil }
        guard form.action.isRelease else { return try await referrals.refuse(form.ids, at: now) }
        return try await referrals.release(form.ids, onlyHeld: form.action.isForAll, at: now)
    }

    /// The page that asks whether the operator means all that match: at most ``ReferralsForm/most``, the newest ones.
    package func question(_ form: ReferralsForm, _ frame: OperatorFrame) async throws -> Page {
        let (programme, reason, most) = (form.filter.programme, form.filter.reason, ReferralsForm.most)
        let ids = try await referrals.list(.held, programme: programme, reason: reason, limit: most).map(\.id)
        var count = ids.count
        if count == most { count = try await referrals.count(.held, programme: programme, reason: reason) }
        return ReferralsPage.question(form, about: ids, of: count, frame)
    }

    // MARK: Deliveries and health

    /// The page of the messages with a state, or all if that is nil, and of the webhooks.
    package func page(
        _ state: DeliveriesPage.State?, _ notice: DeliveriesPage.Notice? = nil, _ frame: OperatorFrame
    ) async throws -> Page {
        let tables = WebhookTables(
            try await webhooks.list(), try await webhooks.deliveries(limit: WebhookTables.size))
        return try await database.read { transaction in
            DeliveriesPage(
                try OutboxEntry.newest(DeliveriesPage.size, state: state?.rawValue, in: transaction), state,
                counts: try OutboxEntry.counts(in: transaction), suppressed: try Suppression.count(in: transaction),
                webhooks: tables
            ).page(frame, notice)
        }
    }

    /// Does what a form about webhooks wants.
    ///
    /// - Returns: What was done.
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such webhook or event any more.
    package func carryOut(_ form: DeliveriesForm, at now: Timestamp) async throws -> DeliveriesPage.Notice {
        switch form {
        case .sendAgain(let ids): return .sentAgain(try await webhooks.replay(ids, at: now))
        case .resume(let id):
            _ = try await webhooks.resume(id, at: now)
            return .resumed
        }
    }

    /// The numbers about messages that the server's metrics lack.
    package func figures() async throws -> [ServerHealth.Figure] {
        try await database.read { transaction in
            [
                ServerHealth.Figure("waiting", try OutboxEntry.counts(in: transaction)["queued"] ?? 0),
                ServerHealth.Figure("paused", try PausedPrefix.all(1_000, in: transaction).count),
            ]
        }
    }
}
