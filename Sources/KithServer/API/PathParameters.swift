import Foundation
import Hummingbird
import KithModel

/// The parameters of a path: the parts that the operation's path names in braces.
struct PathParameters: Sendable {
    private let parameters: Parameters

    /// Those of a path that has none.
    static let none = PathParameters(checked: Parameters())

    private init(checked parameters: Parameters) { self.parameters = parameters }

    /// Reads the router's parameters; nil if one is not valid for its name. Such a path does not exist.
    init?(_ parameters: Parameters) {
        guard parameters.allSatisfy({ Self.accepts($0.value, as: "{\($0.key)}"[...]) }) else { return nil }
        self.init(checked: parameters)
    }

    func list() throws(ServerError) -> ListID { try read("list") { ListID($0) } }
    func link() throws(ServerError) -> LinkID { try read("link") { LinkID($0) } }
    func account() throws(ServerError) -> AccountID { try read("account") { AccountID($0) } }
    func pairing() throws(ServerError) -> PairingID { try read("pairing") { PairingID($0) } }
    func code() throws(ServerError) -> CodeID { try read("code") { CodeID($0) } }
    func passkey() throws(ServerError) -> PasskeyID { try read("passkey") { PasskeyID($0) } }
    func ceremony() throws(ServerError) -> CeremonyID { try read("ceremony") { CeremonyID($0) } }
    func session() throws(ServerError) -> SessionID { try read("session") { SessionID($0) } }
    func issuerIdentity() throws(ServerError) -> IssuerIdentityID { try read("id") { IssuerIdentityID($0) } }
    /// The name of an issuer.
    func issuer() throws(ServerError) -> String { try read("issuer", Self.issuer) }
    func identity() throws(ServerError) -> Identity { try read("identity", Self.identity) }
    /// The token of a link.
    func token() throws(ServerError) -> String { try read("token", Self.token) }
    /// A code that somebody has shared.
    func shareCode() throws(ServerError) -> ShareCode { try read("shareCode", Self.shareCode) }
    /// The size of a picture.
    func size() throws(ServerError) -> PictureSize { try read("size") { PictureSize(rawValue: $0) } }
    /// The SHA-256 of a picture.
    func hash() throws(ServerError) -> Data { try read("sha256", Self.hash) }

    private func read<Value>(_ name: Substring, _ parse: (String) -> Value?) throws(ServerError) -> Value {
        guard let part = parameters[name], let value = parse(String(part)) else { throw ServerError.nothingHere }
        return value
    }

    /// Whether `part` of a path matches `element` of an operation's path.
    static func accepts(_ part: Substring, as element: Substring) -> Bool {
        let part = String(part)
        return switch element {
        case "{list}", "{link}", "{account}", "{code}", "{session}", "{pairing}", "{passkey}", "{ceremony}", "{id}":
            UUID(uuidString: part) != nil
        case "{token}": token(part) != nil
        case "{issuer}": issuer(part) != nil
        case "{shareCode}": shareCode(part) != nil
        case "{identity}": identity(part) != nil
        case "{size}": PictureSize(rawValue: part) != nil
        case "{sha256}": hash(part) != nil
        default: element == part
        }
    }

    /// A link's token is Base64url; any other text is not a token of this server.
    private static func token(_ text: String) -> String? {
        let isBase64URL = text.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
        return isBase64URL && (1...128).contains(text.utf8.count) ? text : nil
    }

    /// An identity with the escapes of a path (RFC 3986, section 2.1).
    private static func identity(_ text: String) -> Identity? { text.removingPercentEncoding.flatMap { Identity($0) } }

    /// A code in any spelling, with the escapes of a path. A browser escapes the spaces of a code that was typed.
    private static func shareCode(_ text: String) -> ShareCode? {
        let plain = text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : text
        return plain.flatMap { try? ShareCode($0) }
    }

    private static func issuer(_ text: String) -> String? {
        text.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,31}/).map { String($0.output) }
    }

    private static func hash(_ text: String) -> Data? {
        Hex.bytes(text).flatMap { $0.count == Secret.size ? $0 : nil }
    }
}
