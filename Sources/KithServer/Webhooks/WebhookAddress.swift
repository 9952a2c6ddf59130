import Foundation

/// The address of a webhook: https, or http on this machine.
package struct WebhookAddress: Hashable, Sendable {
    package let text: String
    private let host: String

    /// Reads an address; nil if a webhook cannot have it.
    package init?(_ text: String) {
        guard text.utf8.count <= WebhookLimits.address, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URLComponents(string: text), let host = url.host, !host.isEmpty, url.user == nil,
            url.password == nil, url.fragment == nil,
            url.scheme == "https" || (url.scheme == "http" && IPAddress.isLoopback(host: host))
        else { return nil }
        (self.text, self.host) = (text, host)
    }

    /// Why a webhook cannot have this address. A password in it is not repeated.
    static func fault(of text: String) -> String {
        let url = URLComponents(string: text)
        if url?.user != nil || url?.password != nil {
            return """
                The address of a webhook has no user and no password. Remove what is before the “@”: a receiver checks by \
                its signature that a request is from this server.
                """
        }
        if url?.fragment != nil { return "The address of a webhook has no “#”. Remove what begins with it." }
        return "“\(text.prefix(80))” cannot be a webhook. Write https://…, or http://localhost… on this machine."
    }

    /// Whether it names this machine.
    package var isLoopback: Bool { IPAddress.isLoopback(host: host) }

    /// Whether it names an address of a private network.
    package var isPrivate: Bool {
        guard let address = IPAddress(host.trimmingCharacters(in: ["[", "]"])) else { return false }
        return !address.isPublic && !isLoopback
    }

    /// The addresses to which the connection may lead.
    func reach(_ isPrivateAllowed: Bool) -> AddressReach {
        isPrivateAllowed ? .everywhere : isLoopback ? .loopback : .publicInternet
    }
}
