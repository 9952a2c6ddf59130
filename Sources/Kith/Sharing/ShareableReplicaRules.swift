import KithModel

/// The device's rules for shareables.
struct ShareableReplicaRules: ReplicaRules {
    let schema = Shareable.schema
    let content = StoreContent.records
    // Somebody else may have the code, and the link of the list may be revoked.
    let folding = FoldingRules(contested: ["code", "list"])

    func title(of fields: Fields) -> String? { fields["label"]?.text ?? fields["code"]?.text }

    /// Moves the shareables that the server has never seen, and then the unsent shares, which refer to shareables.
    func moveUnsent(_ move: UnsentMove) throws {
        var shareables = SharingMove(move)
        try shareables.moveShareables()
        try shareables.moveShares()
    }
}
