import Kith
import KithModel

/// What devices show about people.
extension World {
    /// The records about people that a device shows: the profile, the contacts, and the members of the lists.
    func keyedRecords(on device: SimulatedDevice, _ content: Replica.Content) -> [KeyedRecord] {
        let lists = Set(content.lists.map(\.id))
        let profile = KeyedRecord(key: .profile) { try device.profile() }
        let contacts = content.contacts.map { contact in
            KeyedRecord(key: .contact(contact.id)) { ["isBlocked": .flag(contact.isBlocked)] }
        }
        let members = content.members.filter { lists.contains($0.listID) }.map { member in
            KeyedRecord(key: .member(member.id, of: member.listID)) {
                ["role": .text(member.role.rawValue), "name": member.name.map(FieldValue.text) ?? .null]
            }
        }
        return [profile] + contacts + members
    }
}
