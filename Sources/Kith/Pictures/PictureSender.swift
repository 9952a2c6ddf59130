import Foundation
import KithModel
import Synchronization

/// Sends the pictures of the profile, before the mutation that refers to them.
final class PictureSender: RoundAttachments {
    private struct Upload: Hashable {
        let account: AccountID
        let hash: String
    }

    private let replica: Replica
    /// When this process has sent a picture.
    private let uploads = Mutex<[Upload: Timestamp]>([:])

    /// How long an upload counts. The server deletes a picture that no profile names after ``Limits/unnamedPicture``.
    private static let validity = Limits.unnamedPicture / 2

    init(replica: Replica) { self.replica = replica }

    /// Sends the waiting pictures: those that are not sent yet, and those whose mutation the server has not acknowledged,
    /// unless this process has sent them a short time ago. In between, the server may have deleted them.
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
            let upload = Upload(account: account, hash: picture.hash)
            uploads.withLock { $0[upload] = replica.dependencies.now() }
            try await replica.write { [isRefused] transaction in
                guard transaction.account.id == account else { return }
                let cache = PictureCache(transaction.store)
                if isRefused { try cache.delete(picture.hash) } else { try cache.noteSent(picture.hash) }
            }
        }
    }

    private func nextPicture(of account: AccountID) async throws -> PictureCache.Unsent? {
        let now = replica.dependencies.now()
        let recent = uploads.withLock { uploads in
            uploads = uploads.filter { now - Self.validity < $0.value && $0.value <= now + Self.validity }
            return Set(uploads.keys.filter { $0.account == account }.map(\.hash))
        }
        return try await replica.read { reading in
            guard reading.account.id == account else { return nil }
            let cache = PictureCache(reading.store)
            return try cache.firstUnsent() ?? cache.firstUnacknowledged(besides: recent)
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
