import Foundation

extension String {
    /// The text with escapes for all characters except those that RFC 3986, section 2.3, calls unreserved.
    package var percentEncoded: String {
        if utf8.allSatisfy({ $0.isLetterOrDigit || "-._~".utf8.contains($0) }) { return self }
        return addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? self
    }

    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
}
