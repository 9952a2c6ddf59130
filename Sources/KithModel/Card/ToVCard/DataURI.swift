import Foundation

/// What a `data:` URI carries (RFC 2397).
struct DataURI {
    /// As in RFC 2046: `image/jpeg`.
    let mediaType: String
    let bytes: [UInt8]

    /// What `uri` carries; nil if it is no such URI, or not sound.
    init?(_ uri: String) {
        guard let rest = uri.afterPrefix("data:"), let comma = rest.firstIndex(of: ",") else { return nil }
        let words = rest[..<comma].split(separator: ";", omittingEmptySubsequences: false)
        let type = words.first.map(String.init) ?? ""
        mediaType = type.isEmpty ? "text/plain" : type
        let content = String(rest[rest.index(after: comma)...])
        if words.dropFirst().contains(where: { $0.lowercased() == "base64" }) {
            guard let data = Data(base64Encoded: content) else { return nil }
            bytes = Array(data)
        } else {
            guard let text = content.removingPercentEncoding else { return nil }
            bytes = Array(text.utf8)
        }
    }

    /// The URI that carries `bytes`.
    static func uri(_ bytes: [UInt8], mediaType: String?) -> String {
        "data:\(mediaType ?? "application/octet-stream");base64,\(Data(bytes).base64EncodedString())"
    }
}
