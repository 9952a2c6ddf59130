/// An entry of a list in a card, such as an email.
public protocol CardEntry: Hashable, Identifiable<String>, Sendable {
    /// Its key in JSContact's map: the `PROP-ID` of the property, or an id made from its position, such as `EMAIL-2`.
    ///
    /// An id made from a position is valid only for the card as it was read. After an entry before it is removed, the
    /// next reading counts differently.
    var id: String { get set }
    /// The parameters of its vCard property that have no field in the model. They are carried along, so that each
    /// version and JSContact keep them (RFC 9555 calls them `vCardParams`).
    ///
    /// `TYPE` has only the words that the model does not know: `X-Segelboot`, `WhatsApp`, `ISDN`. The words that it
    /// knows are in other fields. The parameters that describe how a value is written (`ENCODING`, `CHARSET`, `VALUE`)
    /// are left out, because the writer sets them.
    var vCardParameters: VCard.Parameters { get set }
}

extension CardEntry {
    /// The words of TYPE that the model does not know, in a form for people: `Segelboot` for `X-Segelboot`.
    ///
    /// Technical words are left out, such as `INTERNET` for an email or `PARCEL` for an address.
    package var typesForPeople: [String] {
        vCardParameters["TYPE"].compactMap { word in
            let word = word.afterPrefix("x-") ?? word
            let isSilent = ["INTERNET", "X400", "DOM", "INTL", "POSTAL", "PARCEL", "PREF"].contains(word.uppercased())
            return isSilent || word.isEmpty ? nil : word
        }
    }
}
