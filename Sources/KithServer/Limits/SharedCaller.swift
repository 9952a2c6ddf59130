package import Foundation

/// A caller whose tokens several nodes count together.
package protocol SharedCaller: Hashable, Sendable {
    /// What stands for the caller in the common table. It must not be a secret.
    var sharedBytes: Data { get }

    /// The caller that the bytes stand for; nil if they stand for none.
    init?(sharedBytes: Data)
}

extension Data: SharedCaller {
    package var sharedBytes: Data { self }

    package init?(sharedBytes: Data) { self = sharedBytes }
}

extension String: SharedCaller {
    package var sharedBytes: Data { Data(utf8) }

    package init?(sharedBytes: Data) { self.init(decoding: sharedBytes, as: UTF8.self) }
}
