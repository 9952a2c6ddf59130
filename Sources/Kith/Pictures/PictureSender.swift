import Foundation
import KithModel

/// Sends the pictures of the profile, before the mutation that refers to them.
struct PictureSender: RoundAttachments {
    let replica: Replica

    /// Sends the waiting pictures.
    ///
    /// A refused picture is dropped. The server then also refuses the mutation that refers to it, which becomes a
    /// rejection. A refusal counts only if it comes from a Kith server and is about the picture, or if a proxy in front
    /// of the server finds the picture too large (status 413). After any other error the picture is sent again. A
    /// picture whose upload was too slow many times is dropped as well, because everything else waits for it.
    func send(of account: AccountID, to connection: SessionConnection) async throws {
        while let picture = try await nextPicture(of: account) {
            var isRefused = false
            do {
                try await connection.sendPicture(picture.bytes, hash: picture.hash)
            } catch let error as KithError where error.refusesPicture {
                isRefused = true
            } catch let error as KithError where error.code == .tooMany {
                let isSlow = try await replica.read { $0.account.schedule.isSlow }
                isRefused = isSlow && error.isAboutSpeed
                // The error is about the picture, not about the mutations that wait for it.
                if !isRefused {
                    throw KithError(.busy, error.sentence, retryAfter: error.retryAfter, cause: error.cause)
                }
            }
            try await replica.write { [isRefused] transaction in
                guard transaction.account.id == account else { return }
                let cache = PictureCache(transaction.store)
                if isRefused { try cache.delete(picture.hash) } else { try cache.noteSent(picture.hash) }
            }
        }
    }

    private func nextPicture(of account: AccountID) async throws -> PictureCache.Unsent? {
        try await replica.read {
            $0.account.id == account ? try PictureCache($0.store).firstUnsent() : nil
        }
    }
}

extension SessionConnection {
    fileprivate func sendPicture(_ bytes: Data, hash: String) async throws {
        let type = PictureType(bytes)?.rawValue ?? "application/octet-stream"
        _ = try await send("PUT", "/v1/pictures/\(hash)", body: bytes, type: type)
    }
}

extension KithError {
    /// Whether the server or its proxy will never accept the picture.
    fileprivate var refusesPicture: Bool {
        switch cause {
        case let problem as Problem: [.malformed, .tooLarge, .unsupportedType].contains(problem.code)
        case let unexplained as UnexplainedStatus: unexplained.status == 413
        default: false
        }
    }
}
