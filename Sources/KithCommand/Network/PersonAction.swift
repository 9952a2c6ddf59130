import Kith
import KithModel

/// An action on another person without further arguments. Its command has the name of the type in lower case.
protocol PersonAction {
    static var abstract: String { get }

    static func perform(_ network: Network, _ id: AccountID) async throws

    /// The sentence after the action, from the person's earlier name and the resulting contact.
    static func sentence(_ name: String, _ contact: NetworkContact?) -> String

    /// A hint for the next step; nil if there is none.
    static func advice(_ id: AccountID) -> String?
}

extension PersonAction {
    static func advice(_ id: AccountID) -> String? { nil }
}
