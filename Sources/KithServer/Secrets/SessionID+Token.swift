import Foundation
package import KithModel

extension SessionID {
    /// The identity of the session with this token.
    package init(token: String) { self.init(tokenHash: Secret.sha256(token)) }

    /// The identity of the session whose token has this SHA-256: the first half of the hash.
    init(tokenHash: Data) {
        // A SHA-256 has 32 bytes, so there always are 16.
        self.init(UUID(bytes: [UInt8](tokenHash.prefix(16))[...]) ?? UUID())
    }
}
