import Foundation
import KithModel

/// The server's endpoints for people.
extension SessionConnection {
    func account(_ id: AccountID) async throws -> ShownProfile {
        try await call("GET", "/v1/accounts/\(id)")
    }

    func directory(name: String) async throws -> DirectoryAnswer {
        try await call("GET", "/v1/directory?name=\(name.percentEncoded)")
    }

    /// The bytes of a picture; nil if there is none or I may not see it.
    func picture(of id: AccountID, _ size: PictureSize) async throws -> Data? {
        do {
            return try await send("GET", "/v1/accounts/\(id)/picture/\(size)", body: nil)
        } catch KithError.Code.notFound {
            return nil
        }
    }
}
