import Kith
import KithModel

/// The engine that decides when to sync, under the world's clock.
extension World {
    /// Tells a device's engine what has happened. While a round runs, that waits.
    func tell(_ index: Int, _ event: SyncMachine.Event) throws {
        guard hazards.engine, !isAtPeace else { return }
        devices[index].engine.inbox.append(event)
        try decide(index)
    }

    /// Ends the rounds that have taken too long, and wakes whoever asked for it.
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

    /// A device hears of the round that it waits for.
    func endRound(_ index: Int, _ request: SyncRequest, _ event: SyncMachine.Event) throws {
        guard devices[index].engine.round?.request == request else { return }
        devices[index].engine.round = nil
        try tell(index, event)
    }

    /// The network has said nothing for too long.
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
            let look = try device.replica.look()
            let situation = SyncMachine.Situation(
                now: device.clock.now, session: look.account.state, waiting: look.waiting,
                oldestWaiting: look.oldestWaiting, lastRound: look.account.completed, schedule: look.account.schedule)
            device.engine.wakes = nil
            switch device.engine.machine.handle(event, in: situation) {
            case .rest:
                guard [.loggedOut, .invalidToken, .inactive].contains(situation.session) else {
                    throw fail("Law 10: Bounds", "the engine of \(device.name) rests, and it is \(situation.session)")
                }
            case .wait(let until):
                let pause = until - situation.now
                guard pause <= RetrySchedule.longestPause else {
                    throw fail("Law 10: Bounds", "the engine of \(device.name) waits for \(pause)")
                }
                device.engine.wakes = time + pause
            case .openSession: try open(index)
            case .round:
                // Whoever was restarted begins again; else there is no session to speak for.
                if try !beginRound(index), device.engine.inbox.isEmpty { device.engine.inbox.append(.failed) }
            }
        }
    }

    /// The engine opens the first session, if it reaches the server.
    private func open(_ index: Int) throws {
        let device = devices[index]
        touched.insert(index)
        if random.oneIn(3), servers[0].crash.now == .none {
            try signIn(index, account: openAccount(on: 0))
            return device.engine.inbox.append(.signedIn)
        }
        do {
            let identity = try device.replica.look().account.device
            _ = try device.rounds.fail(KithError(.offline, "The server cannot be reached."), by: identity)
            device.engine.inbox.append(.failed)
        } catch is Crash {
            try recover(index)
        }
    }
}
