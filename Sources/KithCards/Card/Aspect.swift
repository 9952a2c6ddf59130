/// What of a part a property says.
enum Aspect: Hashable {
    /// All that no other property says.
    case itself
    /// What its owner calls it: `X-ABLabel`.
    case label
    /// The whole address: `LABEL` of versions 2.1 and 3.0.
    case fullAddress
    /// `GEO`.
    case coordinates
    /// `TZ`.
    case timeZone
    /// `X-ABADR`.
    case countryCode
    /// `SORT-STRING`.
    case sortAs
    /// `X-PHONETIC-FIRST-NAME` and its like.
    case phonetic(Card.Name.Kind)
    /// A second `N`, which says how the first one sounds.
    case sound
    /// `BIRTHPLACE` or `DEATHPLACE`, in words.
    case place
    /// The same by its coordinates.
    case placeCoordinates
}
