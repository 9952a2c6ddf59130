import GRDB
import KithModel

/// The whole content of the current store, read at once.
struct Reading {
    let store: Int64
    let account: AccountID?
    let lists: [SharedList]
    let items: [ListItem]
    let contacts: [NetworkContact]
    let members: [Member]
    let matches: [Match]

    init(_ db: Database, _ current: ReplicaAccount) throws {
        (store, account) = (current.key, current.id)
        lists = try SharedList.fetchAll(db, store)
        items = try ListItem.fetchShown(db, store)
        contacts = try NetworkContact.fetchAll(db, store)
        let shown = Set(lists.map(\.id))
        members = try Member.fetchAll(db, store).filter { shown.contains($0.listID) }
            .sorted { ($0.listID, $0.id) < ($1.listID, $1.id) }
        matches = try Match.fetchAll(db, store)
    }
}
