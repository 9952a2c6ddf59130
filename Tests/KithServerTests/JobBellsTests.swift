import KithServer
import Testing

@Suite("The bells of the background jobs") struct JobBellsTests {
    private let bells = JobBells()

    /// The jobs whose bells have rung, once for each time that their tasks would look. Ends the bells.
    private func rung() async -> [String] {
        let named = [
            ("profiles", bells.profiles), ("closedLists", bells.closedLists), ("invitations", bells.invitations),
            ("sharing", bells.sharing),
        ]
        var rung: [String] = []
        for (name, bell) in named {
            bell.finish()
            for await _ in bell.stream { rung.append(name) }
        }
        return rung
    }

    @Test(
        "A topic wakes the jobs that it concerns, and no others; one that is not known wakes none",
        arguments: [
            (.profiles, ["profiles"]), (.closedLists, ["closedLists"]), (.connections, ["invitations"]),
            (.invitations, ["invitations"]), (.identities, ["invitations", "sharing"]), (.sharing, ["sharing"]),
            (.unnamed, ["invitations", "sharing"]), (Signals.Topic("newer"), []),
        ] as [(Signals.Topic, [String])])
    func topics(topic: Signals.Topic, jobs: [String]) async {
        bells.ring(topic)
        #expect(await rung() == jobs)
    }

    @Test("At intervals, every job is woken, once however often its bell has rung") func all() async {
        bells.ring(.identities)
        bells.ringAll()
        bells.ringAll()
        #expect(await rung() == ["profiles", "closedLists", "invitations", "sharing"])
    }
}
