import CSodium
package import Foundation
import KithModel
import Synchronization

/// A source of random bytes: the operating system, unless a test or a repeatable request has another one.
public struct RandomBytes: Sendable {
    /// The random bytes of the operating system, with libsodium.
    public static let system = RandomBytes {
        var bytes = [UInt8](repeating: 0, count: Secret.size)
        randombytes_buf(&bytes, bytes.count)
        return bytes
    }

    private let draw: @Sendable () -> [UInt8]

    /// A source of these bytes.
    ///
    /// - Parameter draw: Returns 32 fresh random bytes.
    public init(_ draw: @escaping @Sendable () -> [UInt8]) { self.draw = draw }

    /// The bytes that follow from a key. Whoever does not have the key cannot tell them from random ones.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - text: The text whose HMAC is the next 32 bytes. Its parameter counts the calls, from one.
    init(key: Data, _ text: @escaping @Sendable (Int) -> String) {
        let calls = Mutex(0)
        self.init {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return Array(Secret.hmac(text(call), key: key))
        }
    }

    /// Fresh random bytes: 32, or fewer.
    package func bytes(_ count: Int = Secret.size) -> Data { Data(draw().prefix(count)) }

    /// A token of 32 bytes, in Base64url. No token begins with a dash, because a command line would read it as an option.
    package func token() -> String {
        while true {
            let token = bytes().base64URL
            if !token.hasPrefix("-") { return token }
        }
    }
}
