import Foundation
import Kith

/// A command that uses a link from another person. If no server is set, it may use the link's server.
protocol LinkCommand: OnlineCommand {
    var link: String { get }
}

extension LinkCommand {
    /// The link's server if none is set. If the device's account belongs to another server, the link's server is not
    /// used, so that it gets no data of the account.
    func server(for place: Place, _ client: KithClient) async throws -> URL? {
        guard place.server == nil, let base = LinkAddress(link).base else { return nil }
        let status = try await client.status()
        return status.account == nil || status.address == base ? base : nil
    }
}
