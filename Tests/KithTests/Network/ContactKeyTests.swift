import Kith
import KithModel
import Testing

@Suite("The parts of a contact that change") struct ContactKeyTests {
    @Test("A change of any field of the summary is reported", arguments: Profile.allFields.filter(\.isInSummary))
    func summary(field: ProfileField) {
        func contact(_ fields: Fields) -> NetworkContact {
            NetworkContact(id: Circle.person(2), fields, modified: Timestamp(milliseconds: 0))
        }
        let fields = Fields(uniqueKeysWithValues: field.part.fields.map { ($0, .text("x")) })
        let keys: Set<NetworkContact.Key> =
            switch field.part {
            case .given, .family, .nick: [.name]
            case .title, .jobTitle, .company: [.work]
            case .status: [.status]
            case .picture: [.picture]
            default: []
            }
        #expect(NetworkContact.differing(contact([:]), contact(fields)) == keys && !keys.isEmpty)
        #expect(NetworkContact.differing(contact(fields), contact(fields)).isEmpty)
    }
}
