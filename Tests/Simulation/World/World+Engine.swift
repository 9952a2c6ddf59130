import Kith
import KithModel

/// The engine, which decides when to sync, under the world's clock.
extension World {
    /// Passes an event to a device's engine. While a round runs, the event waits.
    func tell(_ index: Int, _ event: SyncMachine.Event) throws {
        guard hazards.engine, !isAtPeace else { return }
        devices[index].engine.inbox.append(event)
        try decide(index)
    }

    /// Ends the rounds that have timed out, and wakes the engines whose time has come.
    func runEngines() throws {
        guard hazards.engine else { return }
        for index in living {
            let device = devices[index]
            if let round = device.engine.round, round.ends <= time { try giveUp(round, index) }
            if let wake = device.engine.wakes, wake <= time {
                device.engine.wakes = nil
                device.engine.inbox.append(.tick)
            }
            try decide(index)
        }
    }

    /// Ends the round that the device waits for, and passes its event to the engine.
    func endRound(_ index: Int, _ request: SyncRequest, _ event: SyncMachine.Event) throws {
        guard devices[index].engine.round?.request == request else { return }
        devices[index].engine.round = nil
        try tell(index, event)
    }

    /// Handles the timeout of a round.
    func giveUp(_ round: SimulatedEngine.Round, _ index: Int) throws {
        let device = devices[index]
        device.engine.round = nil
        touched.insert(index)
        note("\(device.name): waits for the server no longer")
        do {
            _ = try device.rounds.fail(KithError(.offline, "The server cannot be reached."), of: round.request)
            device.engine.inbox.append(.failed)
        } catch is Crash {
            try recover(index)
        }
    }

    private func decide(_ index: Int) throws {
        let device = devices[index]
        while device.engine.round == nil, !device.engine.inbox.isEmpty {
            let event = device.engine.inbox.removeFirst()
            let content = try device.content()
            let situation = SyncMachine.Situation(
                now: device.clock.now, session: content.account.state,
                oldestWaiting: content.oldestWaiting, lastRound: content.account.completed,
                schedule: content.account.schedule)
            device.engine.wakes = nil
            switch device.engine.machine.handle(event, in: situation) {
            case .rest:
                guard [.loggedOut, .invalidToken, .inactive].contains(situation.session) else {
                    throw fail(.bounds, "the engine of \(device.name) rests, and it is \(situation.session)")
                }
            case .wait(let until):
                let pause = until - situation.now
                guard pause <= RetrySchedule.longestPause else {
                    throw fail(.bounds, "the engine of \(device.name) waits for \(pause)")
                }
                device.engine.wakes = time + pause
            case .openSession: try open(index)
            case .round:
                // If no round could begin because the device restarted, its inbox has a new start. Otherwise it has no
                // session.
                if try !beginRound(index), device.engine.inbox.isEmpty { device.engine.inbox.append(.failed) }
            }
        }
    }

    /// Opens the first session, if the server can be reached.
    private func open(_ index: Int) throws {
        let device = devices[index]
        touched.insert(index)
        if random.oneIn(3), servers[0].crash.now == .none {
            try signIn(index, account: openAccount(on: 0))
            return device.engine.inbox.append(.signedIn)
        }
        do {
            let identity = try device.content().account.device
            _ = try device.rounds.fail(KithError(.offline, "The server cannot be reached."), by: identity)
            device.engine.inbox.append(.failed)
        } catch is Crash {
            try recover(index)
        }
    }
}
