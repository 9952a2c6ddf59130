import Kith
import KithModel

/// An action on an invitation without further arguments. Its command has the name of the type in lower case.
protocol InvitationAction {
    static var abstract: String { get }
    /// The direction of the invitations that the action is for; nil for both.
    static var direction: Invitation.Direction? { get }

    /// Whether the action can still change an invitation of its direction. One person can have several, and those that are
    /// over are seldom meant.
    static func canChange(_ invitation: Invitation) -> Bool

    static func perform(_ invitations: Invitations, _ id: InvitationID) async throws

    /// The sentence that reports the action. `invitation` is in its state before the action.
    static func sentence(_ invitation: Invitation) -> String
}
