import Foundation
import Kith

/// A command about a link that somebody has sent: where no server is set, it may use the link's own.
protocol LinkCommand: OnlineCommand {
    var link: String { get }
}

extension LinkCommand {
    /// The link's own server where none is set: it gets nothing of an account that was opened elsewhere.
    func server(for place: Place, _ client: KithClient) async throws -> URL? {
        guard place.server == nil, let base = LinkAddress(link).base else { return nil }
        let status = try await client.status()
        return status.account == nil || status.address == base ? base : nil
    }
}
