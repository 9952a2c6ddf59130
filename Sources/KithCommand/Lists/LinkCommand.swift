import Foundation
import Kith

/// A command that uses a link from another person. If no server is set, it may use the link's server.
protocol LinkCommand: OnlineCommand {
    var link: String { get }
}

extension LinkCommand {
    var linkServer: URL? { LinkAddress(link).base }
}
