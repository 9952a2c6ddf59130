package import Foundation
import Kith

/// What came back.
package struct DAVResponse: Sendable {
    /// The HTTP status code.
    package var status: Int
    /// By their names in small letters.
    package var headers: [String: String]
    /// The whole body, decompressed.
    package var body: Data

    package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}
