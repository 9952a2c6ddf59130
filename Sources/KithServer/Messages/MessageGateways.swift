package import Foundation
import KithModel

/// The gateway of each channel.
package struct MessageGateways: Sendable {
    package var email: any MessageGateway
    package var sms: any MessageGateway
    /// The gateway of files, whose folder is purged; nil if there is none.
    private var files: FileGateway?

    package init(email: any MessageGateway, sms: any MessageGateway) {
        self.email = email
        self.sms = sms
    }

    /// Keeps all messages in memory.
    package static var memory: MessageGateways {
        let memory = MemoryGateway()
        return MessageGateways(email: memory, sms: memory)
    }

    /// The gateways that the settings name.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - folder: Receives the messages of channels without a gateway.
    ///   - address: The public address of the server, at which the SMS provider reports; nil if it is not configured.
    /// - Throws: ``ServerError`` that names the setting that is wrong or missing.
    package init(_ settings: MessageSettings, folder: URL, address: String?) throws(ServerError) {
        let composer = try EmailComposer(settings)
        let files = FileGateway(folder: folder, composer: composer)
        let (relay, bounces) = (try settings.relay(), try settings.bounces())
        let provider = try settings.provider(callback: address)
        // The links of messages would lead to the recipient's own machine.
        if address == nil, relay != nil || provider != nil {
            throw MessageSettings.missing(
                "public-url", besides: relay == nil ? "sms-url" : "smtp-url", "https://kith.example.com")
        }
        self.init(
            email: relay.map { SMTPGateway($0, composer: composer, bounces: bounces) } ?? files,
            sms: provider.map { SMSGateway($0) } ?? files)
        self.files = files
    }

    /// Deletes old files of messages, also of channels that have another gateway by now.
    func purge(at now: Timestamp) throws { try files?.purge(at: now.date) }

    package subscript(channel: OutgoingMessage.Channel) -> any MessageGateway {
        switch channel {
        case .email: email
        case .sms: sms
        }
    }
}

extension EmailComposer {
    /// The composer of these settings.
    package init(_ settings: MessageSettings) throws(ServerError) {
        guard let written = settings.mailFrom else {
            // The emails are written to files.
            let address = EmailAddress("kith@localhost")!  // The address is valid.
            self.init(from: MailAddress(name: settings.serviceName, address))
            return
        }
        guard let from = MailAddress(written) else {
            throw ServerError(
                .malformed, "mail-from is “\(written.prefix(80))”. Write it like Kith <kith@example.com>.")
        }
        self.init(from: from)
    }
}
