package import Foundation
import KithModel

/// The gateway of each channel.
package struct MessageGateways: Sendable {
    package var email: any MessageGateway
    package var sms: any MessageGateway

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
    /// - Throws: ``ServerError`` that names the setting that is wrong or missing.
    package init(_ settings: MessageSettings, folder: URL) throws(ServerError) {
        let files = FileGateway(folder: folder, composer: try EmailComposer(settings))
        self.init(email: files, sms: files)
    }

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
        let written = settings.mailFrom ?? "\(settings.serviceName) <kith@localhost>"
        guard let from = MailAddress(written) else {
            throw ServerError(
                .malformed, "mail-from is “\(written.prefix(80))”. Write it like Kith <kith@example.com>.")
        }
        self.init(from: from)
    }
}
