import KithModel

/// Pictures of the profile, which go up before the mutation that names them.
extension SyncEngine {
    /// Sends what waits of them. One that the server refuses is dropped: it refuses the mutation that names it, too, and
    /// so it becomes a rejection.
    func sendPictures(of account: AccountID, _ connection: ServerConnection, token: String) async throws {
        while let picture = try await nextPicture(of: account) {
            var isRefused = false
            do {
                try await connection.sendPicture(picture.bytes, hash: picture.hash, token: token)
            } catch let error as KithError where [.refused, .tooMany, .forbidden, .notFound].contains(error.code) {
                isRefused = true
            }
            try await replica.write { [isRefused] transaction in
                guard transaction.account.id == account else { return }
                let cache = PictureCache(db: transaction.db, account: transaction.account.key)
                if isRefused { try cache.delete(picture.hash) } else { try cache.noteSent(picture.hash) }
            }
        }
    }

    private func nextPicture(of account: AccountID) async throws -> PictureCache.Unsent? {
        try await replica.read { db, current in
            current.id == account ? try PictureCache(db: db, account: current.key).firstUnsent() : nil
        }
    }
}
