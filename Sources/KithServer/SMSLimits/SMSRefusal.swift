package import KithModel

/// The reason why an SMS to a number is refused. It depends on the number and on earlier messages, never on accounts.
package enum SMSRefusal: Error, Hashable {
    /// The number belongs to a country to which the server does not send; nil if no plan contains it.
    case otherCountry(Region?)
    /// The number reaches no mobile phone.
    case notMobile
    /// Too many messages go to numbers of its prefix.
    case tooFast(until: Timestamp)
    /// The prefix is paused until the operator releases it.
    case paused
    /// The messages of the day are used up.
    case budget(until: Timestamp)

    /// The name for metrics.
    package var name: String {
        switch self {
        case .otherCountry: "otherCountry"
        case .notMobile: "notMobile"
        case .tooFast: "tooFast"
        case .paused: "paused"
        case .budget: "budget"
        }
    }

    /// All names.
    package static let names = ["otherCountry", "notMobile", "tooFast", "paused", "budget"]
}
