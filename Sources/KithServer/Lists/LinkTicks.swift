package import KithModel

/// Ticks items for somebody with a public link that permits it, in one transaction.
///
/// On a wish list, a tick says “I give this”. It is a row of ``GiftTable``, and moves no feed. On another list, it is the
/// tick of the item, which the server writes as it writes the edit of an editor.
package struct LinkTicks {
    /// What became of a tick.
    package enum Outcome: Hashable, Sendable {
        /// The item is ticked, or not, as it was asked for.
        case ticked
        /// The same on a wish list. The pages of the list's links have changed, and nothing else.
        case given
        /// Somebody else gives the item.
        case taken
        /// The item is not in the list any more.
        case gone
        /// The link is only for reading.
        case readOnly
    }

    private let transaction: any Transaction
    private let links: LinkTransaction
    private let now: Timestamp

    /// Ticks in `transaction`.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - now: The server's time.
    ///   - server: The id of the server.
    package init(_ transaction: any Transaction, at now: Timestamp, on server: ServerID) {
        self.transaction = transaction
        self.now = now
        links = LinkTransaction(transaction, at: now, on: server)
    }

    /// Ticks an item, or takes the tick back. Doing it twice has the same effect as doing it once.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - isTicked: Whether the item is ticked afterwards.
    ///   - giver: The secret of the browser. Only the same browser takes the tick of a wish list back.
    ///   - token: The token of the link.
    ///   - session: The token of the browser's session; nil if it has none. Somebody in a wish list gives nothing,
    ///     because the answer would tell what others give.
    /// - Returns: What became of it. The signal of a gift reaches only the public pages of the list.
    /// - Throws: ``ServerError`` with the code `notFound` or `linkExpired` about the link.
    package func tick(
        _ item: ItemID, to isTicked: Bool, by giver: String, with token: String, session: String? = nil
    ) throws -> Committed<Outcome> {
        let link = try links.publicLink(token)
        guard link.canTick ?? false else { return Committed(.readOnly) }
        let list: FeedID = link.list.retyped()
        let place = RecordPlace(list, item.retyped())
        var needs = LedgerNeeds()
        needs.lock(list)
        needs.records = [place, .list(list)]
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        try links.checkAgain(token)
        guard let record = ledger.live(place), record.collection == .items else { return Committed(.gone) }
        if ledger.live(.list(list))?.state.fields["kind"]?.text == SharedList.wishKind {
            if let session, try GiftTable.areHidden(from: session, in: link.list, transaction) {
                return Committed(.readOnly)
            }
            let outcome = try give(item, of: link.list, isTicked, by: giver)
            guard outcome == .given else { return Committed(outcome) }
            return Committed(outcome, signals: Signals(changedPages: [list]))
        }
        let isNow = ListItem.schema["ticked"]?.shown(record.state.fields["ticked"]).flag ?? false
        if isNow != isTicked { ledger.set(["ticked": .flag(isTicked)], of: .items, at: place) }
        let signals = try ledger.write(in: transaction)
        return Committed(.ticked, signals: signals)
    }

    private func give(_ item: ItemID, of list: ListID, _ isGiven: Bool, by secret: String) throws -> Outcome {
        let own = GiftTable.giver(secret, of: list)
        let known = try GiftTable.giver(of: item, in: list, transaction)
        if let known, known != own { return .taken }
        if isGiven, known == nil { try GiftTable.insert(item, in: list, by: own, at: now, transaction) }
        if !isGiven, known != nil { try GiftTable.delete(item, in: list, transaction) }
        return .given
    }
}
