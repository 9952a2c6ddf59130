import KithModel

/// The device's rules for invitations.
struct InvitationReplicaRules: ReplicaRules {
    let schema = Invitation.schema
    let content = StoreContent.records
    let isMany = true

    func title(of fields: Fields) -> String? {
        fields["name"]?.text ?? fields["peerName"]?.text ?? fields["recipient"]?.text.flatMap { Identity($0)?.shown }
    }

    func predicted(_ fields: Fields, before: Fields) -> Fields { Invitation.predicted(fields, before: before) }

    /// Moves the invitations that the server does not know and that are still to be sent: to the service, to connect,
    /// and to a list that has moved. Everything else stays with the account that has made it.
    func moveUnsent(_ move: UnsentMove) throws {
        let transaction = move.transaction
        let known = try Invitation.fetchAll(in: move.newStore)
        for (key, record, unsent) in try move.unconfirmed(in: .invitations) {
            guard let invitation = Invitation(key, record), invitation.direction == .sent,
                invitation.status == .pending
            else { continue }
            var fields = record.fields
            var purpose = invitation.purpose
            if case .list(let list, let role) = purpose {
                guard let new = move.feeds[list.retyped()] else { continue }
                purpose = .list(new.retyped(), role)
                fields.merge(purpose.fields) { $1 }
            }
            let isKnown = known.contains {
                $0.direction == .sent && $0.recipient == invitation.recipient && $0.purpose == purpose
                    && $0.isOpen(at: transaction.serverTime ?? transaction.now)
            }
            if isKnown { continue }
            // The server may have the invitation under its identity, as one of the old account.
            let id: InvitationID = move.wasSent(key) ? transaction.dependencies.makeID() : key.id.retyped()
            try move.write(fields, to: Invitation.recordKey(id))
            try move.withdraw(unsent, of: key)
        }
    }
}
