/// One of several in a card: an email among its emails.
public protocol CardEntry: Hashable, Identifiable<String>, Sendable {
    /// Its key in JSContact's map: what the property's `PROP-ID` says, else its place among its like, as in `EMAIL-2`.
    ///
    /// An id that is made from a place names an entry of the card as it was
    /// read. Once an entry before it is removed, the next reading counts again.
    var id: String { get set }
    /// The parameters of its vCard's property that the model has no words for, carried along so that each version and
    /// JSContact keep them (RFC 9555 calls them `vCardParams`).
    ///
    /// `TYPE` is among them with the words that the model does not know: `X-Segelboot`, `WhatsApp`, `ISDN`. What it has
    /// words for is said by these, and what says how a value is written (`ENCODING`, `CHARSET`, `VALUE`) is the
    /// writer's affair.
    var vCardParameters: VCard.Parameters { get set }
}

extension CardEntry {
    /// The words of TYPE that the model does not know, as people read them: `Segelboot` for `X-Segelboot`.
    ///
    /// Those that say nothing to people are left out: what every email is, or how mail is carried.
    package var typesForPeople: [String] {
        vCardParameters["TYPE"].compactMap { word in
            let word = word.afterPrefix("x-") ?? word
            let isSilent = ["INTERNET", "X400", "DOM", "INTL", "POSTAL", "PARCEL", "PREF"].contains(word.uppercased())
            return isSilent || word.isEmpty ? nil : word
        }
    }
}
