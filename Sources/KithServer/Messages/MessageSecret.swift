package import Foundation
import KithModel

/// The key that hides recipients, and the networks that limits count, in the database, and that signs the links to
/// unsubscribe. It is created when it is first needed, and stored in the database, so that links stay valid for as long as
/// the database exists.
package struct MessageSecret: Sendable {
    /// The number of bytes of a recipient's hash, and of a link's signature: 128 bits.
    private static let size = 16
    private static let name = "messageKey"

    private let key: Data

    /// The key of the database.
    package init(in transaction: any Transaction, random: RandomBytes) throws {
        key = try Meta.findOrCreateKey(Self.name, random, in: transaction)
    }

    /// The key of the database; nil if none was needed yet.
    package init?(existing transaction: any Transaction) throws {
        guard let stored = try Meta.key(Self.name, in: transaction) else { return nil }
        key = stored
    }

    /// The hash under which a recipient is known. Without the key, nobody can compute it from an address.
    package func hash(of recipient: String, _ channel: OutgoingMessage.Channel) -> Data {
        Secret.hmac("recipient\0\(channel.rawValue)\0\(recipient)", key: key).prefix(Self.size)
    }

    /// The hash under which limits count a message.
    ///
    /// What nobody has asked for counts without a tag after a plus in the address, because most providers deliver all tags to
    /// one mailbox. Two mailboxes that share this limit are better than one without any. A code counts for the address as it
    /// is, because anybody can request codes for other tags, and would keep the owner from signing in. A notice about an
    /// account counts apart, so that nobody can keep it from going out by other messages.
    package func limitHash(of recipient: String, for message: OutgoingMessage) -> Data {
        if message.canUnsubscribe { return hash(withoutTag: recipient, message.channel) }
        guard message.kind.isAboutAccount else { return hash(of: recipient, message.channel) }
        return Secret.hmac("notice\0\(message.channel.rawValue)\0\(recipient)", key: key).prefix(Self.size)
    }

    private func hash(withoutTag recipient: String, _ channel: OutgoingMessage.Channel) -> Data {
        let parts = recipient.split(separator: "@", omittingEmptySubsequences: false)
        guard channel == .email, parts.count == 2, let name = parts[0].split(separator: "+").first,
            !parts[0].hasPrefix("+")
        else { return hash(of: recipient, channel) }
        return hash(of: "\(name)@\(parts[1])", channel)
    }

    /// The hash under which limits count a network.
    package func hash(of network: ClientNetwork) -> NetworkHash {
        NetworkHash(Secret.hmac("network\0\(network.text)", key: key).prefix(Self.size))
    }

    /// The token with which a recipient unsubscribes from a kind of message: the recipient's hash and its signature. No
    /// table of tokens is necessary.
    package func token(for recipient: Data, _ kind: MessageKind) -> String {
        (recipient + signature(of: recipient, kind)).base64URL
    }

    /// The recipient's hash and the kind of message in a token; nil if the token is not from this server.
    package func read(_ token: String) -> (recipient: Data, kind: MessageKind)? {
        guard let bytes = Data(base64URL: token), bytes.count == 2 * Self.size else { return nil }
        let recipient = Data(bytes.prefix(Self.size))
        for kind in MessageKind.allCases
        where Secret.areEqual(Data(bytes.suffix(Self.size)), signature(of: recipient, kind)) {
            return (recipient, kind)
        }
        return nil
    }

    // MARK: - Bounces

    /// The bytes of a token of ``bounceToken(of:)``: 128 bits of the id, and 80 bits of the signature.
    static let bounceTokenSize = 16 + bounceSignatureSize
    private static let bounceSignatureSize = 10

    /// The token of a message in the sender of its email: the id and its signature. No table of tokens is necessary.
    package func bounceToken(of message: MessageID) -> Data {
        message.uuid.data + bounceSignature(of: message.uuid.data)
    }

    /// The message with this token; nil if the token is not from this server.
    package func message(ofBounce token: Data) -> MessageID? {
        guard token.count == Self.bounceTokenSize else { return nil }
        let id = Data(token.prefix(16))
        guard Secret.areEqual(Data(token.suffix(Self.bounceSignatureSize)), bounceSignature(of: id)) else { return nil }
        return UUID(bytes: id).map { MessageID($0) }
    }

    private func bounceSignature(of message: Data) -> Data {
        Secret.hmac(Data("bounce\0".utf8) + message, key: key).prefix(Self.bounceSignatureSize)
    }

    // MARK: - Signatures

    private func signature(of recipient: Data, _ kind: MessageKind) -> Data {
        Secret.hmac(Data("unsubscribe\0\(kind.rawValue)\0".utf8) + recipient, key: key).prefix(Self.size)
    }
}
