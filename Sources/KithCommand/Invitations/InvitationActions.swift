import Foundation
import Kith
import KithModel

extension InviteCommand {
    enum Resend: InvitationAction {
        static let abstract = "Send an invitation again, at the earliest after an hour."
        static let direction: Invitation.Direction? = .sent
        static func canChange(_ invitation: Invitation) -> Bool {
            invitation.status != .accepted && invitation.delivery == .server
        }
        static func perform(_ invitations: Invitations, _ id: InvitationID) async throws {
            try await invitations.resend(id)
        }
        static func sentence(_ invitation: Invitation) -> String { "Invited \(invitation.called) again." }
    }

    enum Revoke: InvitationAction {
        static let abstract = "Revoke an invitation. Its link ends."
        static let direction: Invitation.Direction? = .sent
        static func canChange(_ invitation: Invitation) -> Bool { invitation.status == .pending }
        static func perform(_ invitations: Invitations, _ id: InvitationID) async throws {
            try await invitations.revoke(id)
        }
        static func sentence(_ invitation: Invitation) -> String {
            let way =
                invitation.delivery == .server
                ? "To send it again: kith invite resend" : "To invite again: kith invite compose"
            return "Revoked the invitation to \(invitation.called.ended) \(way) \(invitation.typed)"
        }
    }

    enum Accept: InvitationAction {
        static let abstract = "Accept an invitation that you have received."
        static let direction: Invitation.Direction? = .received
        static func canChange(_ invitation: Invitation) -> Bool {
            let isOver = invitation.expires.map { $0 <= Timestamp(.now) } ?? false
            return invitation.status != .accepted && !isOver
        }
        static func perform(_ invitations: Invitations, _ id: InvitationID) async throws {
            try await invitations.accept(id)
        }
        static func sentence(_ invitation: Invitation) -> String {
            "Accepted the invitation from \(invitation.called) (\(invitation.offer()))."
        }
    }

    enum Decline: InvitationAction {
        static let abstract = "Decline an invitation. The inviter does not see that."
        static let direction: Invitation.Direction? = .received
        static func canChange(_ invitation: Invitation) -> Bool { invitation.status == .pending }
        static func perform(_ invitations: Invitations, _ id: InvitationID) async throws {
            try await invitations.decline(id)
        }
        static func sentence(_ invitation: Invitation) -> String {
            "Declined the invitation from \(invitation.called.ended) You can still accept: kith invite accept "
                + invitation.typed
        }
    }

    enum Remove: InvitationAction {
        static let abstract = "Remove an invitation from your devices. An open one that you have sent is also revoked."
        static let direction: Invitation.Direction? = nil
        static func canChange(_ invitation: Invitation) -> Bool { true }
        static func perform(_ invitations: Invitations, _ id: InvitationID) async throws {
            try await invitations.remove(id)
        }
        static func sentence(_ invitation: Invitation) -> String {
            let preposition = invitation.direction == .sent ? "to" : "from"
            return "Removed the invitation \(preposition) \(invitation.called.ended)"
        }
    }
}

extension Invitation {
    /// The invitation as it is typed: by the recipient, or by the person who sent it.
    fileprivate var typed: String {
        ((direction == .sent ? recipient?.shown : peerName) ?? id.description).shellWord
    }
}
