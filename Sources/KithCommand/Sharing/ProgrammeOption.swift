import ArgumentParser
import Kith
import KithModel

/// The option for the programme. It is not needed if the server has only one.
struct ProgrammeOption: ParsableArguments {
    @Option(
        name: .customLong("programme"),
        help: ArgumentHelp(
            "The programme: see kith share programmes. Not needed if the server has only one.", valueName: "name"))
    var name: String?

    /// The name of the programme that is meant.
    ///
    /// - Throws: ``Failure`` if the server has no such programme, or if there are several and none was named; ``KithError``
    ///   if the programmes are not known, and the device is not signed in.
    func resolve(_ context: CommandContext) async throws -> String {
        let known: [ShareProgramme]?
        do {
            known = try await programmes(context)
        } catch let error as KithError where ExitStatus(error.code) == .notSignedIn {
            return try await resolveWithoutServer(context, because: error)
        }
        guard let all = known else { return try await resolveWithoutServer(context) }
        if let name {
            if all.contains(where: { $0.name == name }) { return name }
            let ending = all.isEmpty ? "The server has none at all." : "There is:"
            throw Failure(
                .notFound, "noProgramme", "The server has no programme “\(name)”. \(ending)",
                candidates: all.map(\.name))
        }
        if let only = all.count == 1 ? all.first : nil { return only.name }
        let open = all.filter { !$0.isPaused }
        if let only = open.count == 1 ? open.first : nil { return only.name }
        if all.isEmpty {
            throw Failure(
                .notFound, "noProgramme",
                "The server has no programmes, so there is nothing to share. Its operator can make one: "
                    + "kith admin programme create FILE")
        }
        throw Failure.usage(
            "The server has several programmes. Choose one with --programme:", candidates: all.map(\.name))
    }

    /// The programmes, fetched again if they do not have the one that is meant.
    private func programmes(_ context: CommandContext) async throws -> [ShareProgramme]? {
        let known = try await context.sharing.knownProgrammes(maxAge: .seconds(900))
        if known?.contains(where: { name == nil || $0.name == name }) ?? false { return known }
        // The operator may have made it a moment ago.
        return try await context.sharing.knownProgrammes(maxAge: .zero)
    }

    /// The name while the programmes are not known: as it was typed, or else that of what the device shares. `error` is
    /// the reason why the server was not asked.
    private func resolveWithoutServer(
        _ context: CommandContext, because error: KithError? = nil
    ) async throws -> String {
        if let name { return name }
        let own = Set(try await context.sharing.shareables().map(\.programme))
        if let only = own.count == 1 ? own.first : nil { return only }
        if let error { throw error }
        if context.asksServer {
            throw Failure(
                .offline, "offline",
                "The server cannot be reached, and this device does not know its programmes yet. Try it again later, or "
                    + "name one with --programme.")
        }
        throw Failure.usage(
            "This device does not know the programmes of the server yet. Name one with --programme, or ask the server: "
                + "kith share programmes")
    }
}

extension Sharing {
    /// The programmes of the server; those that were fetched last if it does not answer soon; nil if none are known.
    ///
    /// - Throws: ``KithError`` with `unauthorized` or `accountClosed` if none are known, and the device is not signed in.
    func knownProgrammes(maxAge: Duration) async throws -> [ShareProgramme]? {
        var reason: KithError?
        do {
            return try await within(CommandContext.answerTimeout) { try await programmes(maxAge: maxAge) }
        } catch let error as KithError where [.offline, .notSignedIn].contains(ExitStatus(error.code)) {
            // What is stored is shown.
            reason = error
        } catch is TookTooLong {}
        for await stored in liveProgrammes() {
            if !stored.isEmpty { return stored }
            break
        }
        if let reason, ExitStatus(reason.code) == .notSignedIn { throw reason }
        return nil
    }
}
