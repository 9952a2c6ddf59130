/// The aspect of a part that a property holds.
enum Aspect: Hashable {
    /// Everything that no separate property holds.
    case itself
    /// The owner's label: `X-ABLabel`.
    case label
    /// The full text of an address: `LABEL` of versions 2.1 and 3.0.
    case fullAddress
    /// `GEO`.
    case coordinates
    /// `TZ`.
    case timeZone
    /// `X-ABADR`.
    case countryCode
    /// `SORT-STRING`.
    case sortAs
    /// `X-PHONETIC-FIRST-NAME` and similar properties.
    case phonetic(Card.Name.Kind)
    /// The pronunciation of the name: a second `N`.
    case sound
    /// `BIRTHPLACE` or `DEATHPLACE`, in words.
    case place
    /// `BIRTHPLACE` or `DEATHPLACE`, as coordinates.
    case placeCoordinates
}
