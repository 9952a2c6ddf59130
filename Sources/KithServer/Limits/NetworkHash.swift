package import Foundation
import KithModel

/// The keyed hash of a ``ClientNetwork``, under which limits count it. Nobody can compute it without the server's key.
package struct NetworkHash: Hashable, Sendable {
    /// 16 bytes.
    package let bytes: Data

    /// The hash as text, as the table `code` stores it.
    var text: String { bytes.base64URL }

    init(_ bytes: Data) { self.bytes = bytes }
}
