import ArgumentParser
import Kith

/// The people that a listing shows instead of the network.
enum ViewFlag: String, EnumerableFlag {
    case requests, sent, blocked, muted, bots, all

    static func help(for value: ViewFlag) -> ArgumentHelp? {
        switch value {
        case .requests: "Those who wait for your answer."
        case .sent: "The people you have asked."
        case .blocked: "The people you have blocked."
        case .muted: "The people you have muted."
        case .bots: "Programs that you are connected with."
        case .all: "Everyone you have to do with."
        }
    }

    var view: NetworkView { self == .all ? .everyone : NetworkView(rawValue: rawValue) ?? .everyone }
}

extension ViewFlag? {
    /// The sentence for an empty listing, with the next step if there is one.
    var emptyState: String {
        switch self {
        case nil:
            "Nobody yet. Others ask you by your account id (kith profile); you ask them: kith network connect ACCOUNT"
        case .requests: "Nobody waits for your answer."
        case .sent: "You have asked nobody, or all have accepted. Ask someone: kith network connect ACCOUNT"
        case .blocked: "You have blocked nobody."
        case .muted: "You have muted nobody."
        case .bots: "You are connected with no bot."
        case .all: "You have to do with nobody yet. Ask someone: kith network connect ACCOUNT"
        }
    }
}
