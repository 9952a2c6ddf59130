import KithModel

/// The device's rules for events. The server counts an event and then removes its record.
struct SharingEventReplicaRules: ReplicaRules {
    let schema = SharingEvent.schema
    let content = StoreContent.nothing
    let isMany = true

    func title(of fields: Fields) -> String? { fields["name"]?.text }

    /// Moves events that were never sent. The server may have counted any other, and would count it again.
    func moveUnsent(_ move: UnsentMove) throws {
        for (key, record, unsent) in try move.unconfirmed(in: .events) where !move.wasSent(key) {
            guard try move.newRecord(key) == nil else { continue }
            try move.write(record.fields, to: key)
            try move.withdraw(unsent, of: key)
        }
    }
}
