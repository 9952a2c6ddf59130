package import KithModel

extension ShareLink {
    /// The code and the channel as the addresses and the forms of pages have them; nil if there is no code.
    package init?(share: String?, channel: String?) {
        guard let code = share.flatMap({ try? ShareCode($0) }) else { return nil }
        self.init(code, channel: channel.flatMap { ShareChannel(rawValue: $0) })
    }

    /// The code and the channel in a form; nil if it has no code.
    package init?(_ fields: FormFields) { self.init(share: fields["share"], channel: fields["c"]) }

    /// The query of the page on which people sign in with the code.
    var query: String { "?share=\(code.text)" + (channel.map { "&c=\($0.rawValue)" } ?? "") }
}
