import BenchReport
import Foundation

/// Measures what looking up an address book among a million registered identities costs: the bytes in both directions, and
/// the processor time of each side.
func measureDiscovery(_ run: Run) async throws {
    let (registered, held) = (run.size(1_000_000, smoke: 20_000), run.size(2_000, smoke: 200))
    let service = try await RegisteredService(registered, folder: run.folder)
    let more = held / 100
    // One in ten of the numbers is registered, also of those that are added later.
    try await Looking.register(held + more, at: service)
    func show(_ look: String, _ costs: Looking.Look, wanted goal: Goal? = nil) {
        run.line("\(look): bytes", .bytes(Double(costs.bytes)), wanted: goal)
        run.line("\(look): processor time of the device", .time(costs.device))
        run.line("\(look): processor time of the server", .time(costs.server))
    }

    let connecting = try await Looking(
        held, at: service, folder: run.folder.appending(path: "connecting"), isConnecting: true)
    show(
        "first look at \(held) of \(registered), connecting", try await connecting.look(at: held),
        wanted: .atMost(.bytes(4_000_000)))
    let looking = try await Looking(held, at: service, folder: run.folder)
    show("first look at \(held) of \(registered)", try await looking.look(at: held))
    show("look again, nothing new", try await looking.look(at: held, times: run.size(50, smoke: 3)))
    let joining = run.size(1_000, smoke: 20)
    show(
        "look again, \(joining) have joined",
        try await looking.look(at: held, times: run.size(10, smoke: 2)) { try await service.join(joining) })
    show(
        "look again at \(more) numbers more",
        try await looking.look(at: held + more) { try await looking.hold(held + more) })
    run.line("evaluating \(held) elements on the server", .time(try service.evaluationTime(held)))
    run.line("reading the table of \(registered) when the server starts", .time(try await service.startTime()))
}
