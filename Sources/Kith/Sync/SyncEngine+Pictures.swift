import KithModel

/// Pictures of the profile, which go up before the mutation that names them.
extension SyncEngine {
    /// Sends what waits of them. One that the server refuses is dropped: it refuses the mutation that names it, too, and
    /// so it becomes a rejection. Only a Kith server's word about the picture counts, and that it is too large for
    /// whoever stands before the server; after anything else it is sent again. One that has come too slowly again and again
    /// is dropped too: everything else waits behind it.
    func sendPictures(of account: AccountID, _ connection: ServerConnection, token: String) async throws {
        while let picture = try await nextPicture(of: account) {
            var isRefused = false
            do {
                try await connection.sendPicture(picture.bytes, hash: picture.hash, token: token)
            } catch let error as KithError where error.refusesPicture {
                isRefused = true
            } catch let error as KithError where error.code == .tooMany {
                let isSlow = try await replica.read { $1.schedule.isSlow }
                isRefused = isSlow && error.isAboutSpeed
                // About the picture, and not about the mutations that wait for it.
                if !isRefused {
                    throw KithError(.busy, error.sentence, retryAfter: error.retryAfter, cause: error.cause)
                }
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

extension KithError {
    /// Whether a Kith server has said that the picture took too long to come.
    fileprivate var isAboutSpeed: Bool { (cause as? Problem)?.code == .tooSlow }

    /// Whether a Kith server has said that the picture can never be taken.
    fileprivate var refusesPicture: Bool {
        switch cause {
        case let problem as Problem: [.malformed, .tooLarge, .unsupportedType].contains(problem.code)
        case let unexplained as UnexplainedStatus: unexplained.status == 413
        default: false
        }
    }
}
