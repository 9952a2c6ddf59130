import Foundation
import Kith
import KithModel
import Synchronization

/// The shell around ``AddressBookMachine``: does what it decides, and tells it what happened.
extension AddressBook {
    /// What a load has found.
    private struct Answer: Sendable {
        var findings: [Finding] = []
        /// What is to be shown; nil if nothing was ever read.
        var book: ContactBook?
        /// What is different; nil if nothing is.
        var changed: Changed<Contact>?
    }

    /// Who is to be told what when a load has ended.
    private struct Telling: Sendable {
        var failures: [SourceStatus] = []
        var listeners: [(AsyncStream<Changed<Contact>>.Continuation, Changed<Contact>)] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var action = AddressBookMachine.Action.rest
    }

    func obey(_ action: AddressBookMachine.Action) {
        switch action {
        case .load(let due): Task { await self.load(due) }
        case .wait(let until): wake(at: until)
        case .rest: break
        }
    }

    private func wake(at time: Timestamp) {
        let pause = max(.zero, time - dependencies.world.now())
        let sleep = dependencies.world.pause
        state.withLock { state in
            if state.timer?.until == time { return }
            state.timer?.task.cancel()
            let task = Task { [weak self] in
                do { try await sleep(pause) } catch { return }
                self?.ring(time)
            }
            state.timer = (time, task)
        }
    }

    private func ring(_ time: Timestamp) {
        state.withLock { state in if state.timer?.until == time { state.timer = nil } }
        note(.tick)
    }

    // MARK: One load

    /// Reads the sources that are due, all at once, arranges all cards, and shows them.
    private func load(_ due: Set<SourceID>) async {
        let beginning = state.withLock { state in
            defer { state.beginning = nil }
            return state.beginning
        }
        await beginning?()
        let (sources, late) = state.withLock { state in
            for index in state.sources.indices where due.contains(state.sources[index].id) {
                state.sources[index].status.state = .loading(done: 0, of: nil)
            }
            tellStatuses(&state)
            defer { state.late = [] }
            return (state.sources, state.late)
        }
        let dueSources = sources.filter { due.contains($0.id) }
        for source in dueSources where source.watcher == nil { watch(source) }
        let reader = self.reader
        var answer = Answer()
        answer.findings = await findings(of: dueSources, reader)
        for finding in late { answer.findings.append(await finding.refiled(by: reader)) }
        for source in sources where !answer.findings.contains(where: { $0.source.number == source.number }) {
            if due.contains(source.id) {
                answer.findings.append(Finding(source: source, ending: .slow))
            } else if source.region != reader.region {
                answer.findings.append(
                    await Finding(source: source, cards: source.cards, region: source.region).refiled(by: reader))
            }
        }
        await arrange(&answer, sources)
        await show(answer)
        await answer.book?.tables.prepare()
    }

    /// What sources give before patience ends. What a slow one gives is kept for another load.
    private func findings(of sources: [OpenSource], _ reader: PhoneReader) async -> [Finding] {
        guard !sources.isEmpty else { return [] }
        let (arrivals, arriving) = AsyncStream<Finding>.makeStream()
        for source in sources {
            // Under the lock, so that it is noted before it can end.
            state.withLock { state in
                state.readings[source.number] = Task {
                    let finding = await self.find(source, reader)
                    await self.finish(reading: source)
                    if case .terminated = arriving.yield(finding) { self.take(late: finding) }
                }
            }
        }
        let pause = dependencies.world.pause
        let patience = Task {
            try? await pause(AddressBookMachine.patience)
            arriving.finish()
        }
        var findings: [Finding] = []
        for await finding in arrivals {
            findings.append(finding)
            if findings.count == sources.count { break }
        }
        patience.cancel()
        return findings
    }

    /// Notes that a source is no longer being read. What that has kept of one that was removed meanwhile is nobody's.
    private func finish(reading source: OpenSource) async {
        let isKnown = state.withLock { state in
            state.readings[source.number] = nil
            return state.sources.contains { $0.id == source.id }
        }
        guard !isKnown, source.status.location != nil else { return }
        // Another start sees to it if this fails.
        try? await SourceLocation.forget(id: source.id.rawValue, database: store.database, credentials: credentials)
    }

    private func take(late finding: Finding) {
        state.withLock { $0.late.append(finding) }
        note(.arrived(finding.source.id))
    }

    /// Reads a source, and files its cards.
    @concurrent private func find(_ source: OpenSource, _ reader: PhoneReader) async -> Finding {
        var finding = Finding(source: source, region: reader.region)
        await read(source, &finding)
        if let entries = finding.contents?.entries {
            let before = source.region == reader.region ? source.cards ?? [] : []
            finding.cards = await FiledCard.filed(entries, of: source.id, before: before, by: reader)
        }
        return finding
    }

    private func read(_ source: OpenSource, _ finding: inout Finding) async {
        do {
            if source.cards == nil || source.unshownEdit != nil, let cached = try? await source.source.cached() {
                (finding.contents, finding.ending) = (cached, .recalled)
            } else {
                finding.contents = try await source.source.load(progress(of: source.id))
                finding.ending = .read
            }
        } catch {
            finding.ending = .failed
            finding.error =
                error as? KithError
                ?? KithError(.unreadable, "“\(source.status.name)” cannot be read: \(error).", cause: error)
        }
    }

    private func progress(of id: SourceID) -> LoadProgress {
        LoadProgress { [weak self] done, total in
            self?.state.withLock { state in
                guard let index = state.sources.firstIndex(where: { $0.id == id }),
                    case .loading = state.sources[index].status.state
                else { return }
                state.sources[index].status.state = .loading(done: done, of: total)
                self?.tellStatuses(&state)
            }
        }
    }

    /// Makes the book of all cards, and finds what is different.
    private func arrange(_ answer: inout Answer, _ sources: [OpenSource]) async {
        var plan = ContactBook.Plan()
        let previous = state.withLock { state in
            (plan.decisions, plan.order, plan.locale) = (state.decisions, state.order, dependencies.locale)
            plan.matches = state.matches
            return state.book
        }
        let cards: [[FiledCard]?] = sources.map { source in
            answer.findings.first { $0.source.number == source.number }?.cards ?? source.cards
        }
        // Nothing was ever read: that is no empty book.
        if !sources.isEmpty, cards.allSatisfy({ $0 == nil }) { return }
        plan.cards = cards.flatMap { $0 ?? [] }
        let ambiguous = plan.decisions.ambiguous(among: plan.cards)
        if !ambiguous.isEmpty {
            plan.decisions.forget(ambiguous)
            state.withLock { $0.decisions.forget(ambiguous) }
            // If that fails, it is tried at the next load.
            try? await store.forgetLinks(of: ambiguous)
        }
        guard let previous else {
            let book = await ContactBook(plan)
            (answer.book, answer.changed) = (book, Changed(added: book.contacts, origin: .state))
            return
        }
        let (book, changed) = await previous.following(plan)
        answer.book = book
        if !changed.isEmpty { answer.changed = changed }
    }

    /// Shows what a load has found: from here on everybody reads it, and those who listen hear of it.
    @MainActor private func show(_ answer: Answer) {
        let now = dependencies.world.now()
        let telling = state.withLock { state in
            var telling = Telling()
            var endings: [SourceID: AddressBookMachine.Ending] = [:]
            for finding in answer.findings {
                guard let status = take(finding, &state, now) else { continue }
                endings[status.id] = finding.ending
                if finding.ending == .failed { telling.failures.append(status) }
            }
            if let book = answer.book { state.book = book }
            telling.action = state.machine.handle(.ended(endings), at: now)
            telling.listeners = listeners(hearing: answer.changed, of: answer.book, &state)
            tellStatuses(&state)
            let machine = state.machine
            let answered = state.waiting.filter { machine.isAnswered($0.value.ticket) }
            for number in answered.keys { state.waiting[number] = nil }
            telling.waiting = answered.values.map(\.continuation)
            return telling
        }
        // Subscribers first: some of them keep what listeners read.
        if let changed = answer.changed { tellSubscribers { $0.addressBookDidChange(changed) } }
        for (listener, changed) in telling.listeners {
            if case .dropped = listener.yield(changed) { listener.finish() }
        }
        if !telling.failures.isEmpty { tellSubscribers { $0.addressBookDidFailToLoad(telling.failures) } }
        obey(telling.action)
        for waiting in telling.waiting { waiting.resume() }
    }

    /// Notes what became of a source.
    ///
    /// - Returns: How it is now; nil if it was removed meanwhile, or another has taken its place.
    private func take(_ finding: Finding, _ state: inout State, _ now: Timestamp) -> SourceStatus? {
        guard let index = state.sources.firstIndex(where: { $0.number == finding.source.number }) else { return nil }
        var source = state.sources[index]
        if let cards = finding.cards {
            (source.cards, source.region) = (cards, finding.region)
            source.status.cards = cards.count
        }
        if let contents = finding.contents {
            (source.status.faults, source.status.access) = (contents.faults, contents.access)
            source.status.waiting = contents.waiting
            // An edit that came meanwhile is shown by the next reading.
            if source.unshownEdit == finding.source.unshownEdit { source.unshownEdit = nil }
        }
        switch finding.ending {
        case .read: (source.status.state, source.status.lastLoaded) = (.loaded, now.date)
        case .failed:
            source.status.state =
                finding.error.map { .failed(code: $0.code, sentence: $0.sentence) } ?? source.status.state
        case .recalled, .slow, nil: break
        }
        state.sources[index] = source
        return source.status
    }

    // MARK: Watching

    /// Hears of a source's changes from here on, until it is removed or the address book is gone.
    private func watch(_ source: OpenSource) {
        let id = source.id
        let changes = source.source.changes()
        let watcher = Task { [weak self] in for await _ in changes { self?.note(.changed(id)) } }
        let isKept = state.withLock { state in
            guard let index = state.sources.firstIndex(where: { $0.number == source.number }) else { return false }
            state.sources[index].watcher = watcher
            return true
        }
        if !isKept { watcher.cancel() }
    }
}
