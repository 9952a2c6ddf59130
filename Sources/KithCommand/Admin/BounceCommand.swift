import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin bounce`: takes an email that reports an undelivered message.
struct BounceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bounce", abstract: "Take a report about an undelivered email from standard input.",
        discussion: """
            For a mail server that hands over the emails to the bounce address: see Documentation/Operations.md. A report \
            that it was given up makes the message fail, and with it its invitation or share. Other emails are ignored.

            The exit code is 0 if the email was taken or ignored, and 75 if the mail server is to try again.
            """)
    @Option(
        help: ArgumentHelp(
            "The address that the email was sent to (from its header fields).", valueName: "address"))
    var recipient: String?
    @OptionGroup var files: ServerFiles

    func run() async throws {
        // The mail server must be able to write the whole email, also if the database is not there.
        let email = Self.input(upTo: DeliveryReport.size)
        do {
            try await AdminContext.using(files) { admin in
                // It adds no messages.
                let queue = MessageQueue(composer: try MessageComposer(MessageSettings()), address: { "" })
                let bounces = Bounces(queue: queue, reports: Self.reports(by: queue), database: admin.database)
                let answer = Self.answer(try await bounces.take(email, to: recipient))
                // The email was taken, whether or not anybody can read that.
                try? admin.console.say(answer)
            }
        } catch {
            let known = (error as? ServerError)?.sentence ?? (error as? Failure)?.sentence
            throw Failure(.tryAgain, "tryAgain", known ?? "The email was not taken: \(error).")
        }
    }

    /// Has the server's background jobs turn a failed message into a failed invitation or share.
    private static func reports(by queue: MessageQueue) -> FailureReports {
        let dependencies = InvitationDependencies(messages: queue, link: { $0 })
        return FailureReports(signals: .none) { message, transaction in
            let now = Timestamp(.now)
            try InvitationService.scheduleFailure(message, dependencies, at: now, in: transaction)
            try SharingService.scheduleFailure(message, at: now, in: transaction)
            return nil
        }
    }

    private static func answer(_ outcome: Bounces.Outcome) -> CommandAnswer {
        switch outcome {
        case .failed(let id, let failure):
            CommandAnswer(
                ["result": "failed", "message": id, "detail": failure.detail ?? ""],
                "The message \(id) has failed: \(failure.detail ?? "")")
        case .known(let id):
            CommandAnswer(
                ["result": "known", "message": id, "detail": String?.none],
                "The message \(id) has failed before, or is not known any more. Nothing was changed.")
        case .ignored:
            CommandAnswer(
                ["result": "ignored", "message": MessageID?.none, "detail": String?.none],
                "This is no report of a permanent failure of one of the server's messages. Nothing was changed.")
        }
    }

    /// The beginning of standard input. The rest is read and dropped, because a mail server may take an unread rest for
    /// a failure.
    private static func input(upTo limit: Int) -> Data {
        var (kept, buffer) = (Data(), [UInt8](repeating: 0, count: 64 << 10))
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return kept }
            kept += buffer.prefix(min(count, limit - kept.count))
        }
    }
}
