import ArgumentParser

/// The option for how long to wait until a page in a browser has added or used a passkey, and the waiting.
struct PageWaiting: ParsableArguments {
    @Option(
        help: ArgumentHelp("How many seconds to wait for the browser, at most 300 (300).", valueName: "seconds"))
    var timeout = 300

    func validate() throws {
        guard (1...300).contains(timeout) else { throw ValidationError("--timeout needs a number from 1 to 300.") }
    }

    /// Prints the address of the page, and asks the server for the outcome until there is one, also while the server cannot be
    /// reached.
    ///
    /// - Throws: ``Failure`` if the server has no page, or after the timeout.
    func outcome<Outcome: Sendable>(
        of page: String?, _ context: CommandContext, _ ask: @escaping @Sendable () async throws -> Outcome?
    ) async throws -> Outcome {
        guard let page else {
            throw Failure(
                .failed, "unsupported",
                "The server has no page for passkeys, because its own address is not one of its passkey-origins.")
        }
        context.console.note("Open this address in a browser: \(page)")
        do {
            return try await context.console.progress("Waiting for the browser") {
                try await within(.seconds(timeout)) { try await OutcomePolling().outcome(of: ask) }
            }
        } catch is TookTooLong {
            throw Failure(
                .failed, "timeout",
                """
                The browser has not used the page within \(timeout) seconds, or the server could not be asked. Nothing was \
                changed on this device.
                """)
        }
    }
}
