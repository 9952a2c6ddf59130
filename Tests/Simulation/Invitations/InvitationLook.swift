import Kith
import KithModel

/// Everything that one device shows of its account's invitations, and of what becomes of them.
struct InvitationLook {
    let account: AccountID?
    let invitations: [Invitation]
    /// The people in the network.
    let network: [NetworkContact]
    let everyone: [NetworkContact]
    let lists: [SharedList]
    private(set) var members: [Member] = []
    let rejections: [Rejection]
    /// The number of unsent edits.
    let waiting: Int

    init(_ device: AccountsDevice) async throws {
        let client = device.client
        account = try await client.session.account()
        invitations = try await client.invitations.all()
        network = try await client.network.contacts()
        everyone = try await client.network.contacts(in: .everyone)
        lists = try await client.lists.all()
        for list in lists { members += try await client.lists.members(of: list.id) }
        rejections = try await client.rejections()
        waiting = try await client.status().waiting
    }

    /// The invitation with a number; nil if it is not shown.
    func invitation(_ number: Int, _ direction: Invitation.Direction) -> Invitation? {
        invitations.first { $0.direction == direction && InvitationTag(in: $0.text)?.number == number }
    }

    /// The role of an account in a list; nil if it is not in it.
    func role(of account: AccountID, in list: ListID) -> Role? {
        members.first { $0.listID == list && $0.id == account }?.role
    }
}
