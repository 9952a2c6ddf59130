import Foundation
import KithModel

/// The server's endpoints for people.
extension ServerConnection {
    func account(_ id: AccountID, token: String) async throws -> ShownProfile {
        try await call("GET", "/v1/accounts/\(id)", token: token)
    }

    func directory(name: String, token: String) async throws -> DirectoryAnswer {
        try await call("GET", "/v1/directory?name=\(name.percentEncoded)", token: token)
    }

    /// The bytes of a picture; nil if there is none or I may not see it.
    func picture(of id: AccountID, _ size: PictureSize, token: String) async throws -> Data? {
        do {
            return try await send("GET", "/v1/accounts/\(id)/picture/\(size)", token: token, body: nil)
        } catch KithError.Code.notFound {
            return nil
        }
    }
}
