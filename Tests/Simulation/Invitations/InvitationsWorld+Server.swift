import Kith
import KithModel
import KithServer

/// What happens between people: rounds, the work of the server, emails, time, and the end.
extension InvitationsWorld {
    func sync(_ device: AccountsDevice) async throws {
        try await call(device, "syncs") { try await device.client.syncNow() }
    }

    /// The server does its work in the background. It can die in the middle.
    func workInBackground() async throws {
        let server = internet.servers[0]
        let time = internet.time
        while try server.database.readNow({ try ProfileFanout.isWaiting(in: $0) }) {
            _ = try server.database.writeNow { try ProfileFanout.take(at: time, in: $0) }
        }
        let isDying = hazards.serverCrashes && random.oneIn(3)
        let isDone = try part.work(dying: isDying ? (random.oneIn(2) ? .beforeCommit : .afterCommit) : .none)
        note(isDone ? "server: works on invitations" : "server: dies while it works on invitations")
        if isDone { try await noteDead() }
    }

    /// Notes the invitations that the server has revoked for good: every device of the inviter shows that, and nothing
    /// of it waits.
    private func noteDead() async throws {
        for person in people {
            let ended = auditor.stories.filter {
                $0.value.inviter == person.account && $0.value.dead == nil
                    && ($0.value.course == .revoked || $0.value.course == .removed)
            }
            if ended.isEmpty { continue }
            var looks: [InvitationLook] = []
            for device in person.devices { looks.append(try await InvitationLook(device)) }
            for number in ended.keys.sorted() {
                let isKnown = looks.allSatisfy {
                    $0.waiting == 0 && $0.invitation(number, .sent)?.status ?? .cancelled == .cancelled
                }
                if isKnown { auditor.died(number, after: part.mail.attempts.count) }
            }
        }
    }

    func deliverMail() async {
        await part.deliver()
        note("messages are delivered")
    }

    func setOffline(_ device: AccountsDevice) {
        if internet.offline.remove(device.index) == nil {
            internet.offline.insert(device.index)
            note("\(device.name): has no network")
        } else {
            note("\(device.name): has a network again")
        }
    }

    func passTime() {
        let minutes: Int64
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<2: minutes = Int64.random(in: 1...30, using: &random)
        case 2..<5: minutes = Int64.random(in: 50...200, using: &random)
        default: minutes = hazards.ages ? Int64.random(in: 1...8, using: &random) * 1_440 : 70
        }
        internet.time = internet.time + .minutes(minutes)
        note("\(minutes) minutes pass")
    }

    // MARK: The end

    func heal() async throws {
        note("peace")
        stopHazards()
        internet.offline = []
        for _ in 0..<4 {
            try await syncAll()
            try settleServer()
            await deliverMail()
            internet.time = internet.time + .minutes(5 * 60)
        }
        for _ in 0..<2 {
            try await syncAll()
            try settleServer()
        }
        try await syncAll()
        var looks: [AccountID: [InvitationLook]] = [:]
        for person in people {
            for device in person.devices {
                try await judge(device)
                looks[person.account, default: []].append(try await InvitationLook(device))
            }
            if let fault = auditor.differenceFault(looks[person.account] ?? []) {
                throw fail("\(person.name): \(fault)")
            }
        }
        for number in auditor.stories.keys.sorted() {
            let fault =
                auditor.endFault(of: number, looks, part.mail, at: internet.time)
                ?? auditor.agreementFault(of: number, looks)
            if let fault {
                throw fail("invitation \(number): \(fault)")
            }
        }
    }

    private func syncAll() async throws {
        for person in people {
            for device in person.devices {
                try await call(device, "syncs", crashes: false) { try await device.client.syncNow() }
            }
        }
    }

    private func settleServer() throws {
        let (server, time) = (internet.servers[0], internet.time)
        while try server.database.readNow({ try ProfileFanout.isWaiting(in: $0) }) {
            _ = try server.database.writeNow { try ProfileFanout.take(at: time, in: $0) }
        }
        _ = try part.work()
    }
}
