import KithModel

extension MessageFailure {
    /// The reason for people. `command` is the one with which they send the message themselves.
    func words(sendingWith command: String) -> String {
        let sentence: String? =
            switch reason {
            case .optedOut: "they have unsubscribed from such messages"
            case .recipientLimit: "they have received too many messages today"
            case .senderLimit: "you have sent too many of these messages today"
            case .budget: "the server has sent too many messages today"
            case .prefixLimit: "too many SMS went to similar numbers; try again in an hour"
            case .prefixPaused: "the server sends no SMS to similar numbers at present"
            case .countryNotAllowed: "this server sends no SMS to this country; send it yourself: \(command)"
            case .notMobile: "this is not a mobile number"
            case .badRecipient: "the address or number cannot receive messages"
            case .refused: "the message was refused"
            case .expired: "the message could not be delivered in time"
            case .undelivered: "the message bounced"
            case .unsupported: "this server sends no messages to such recipients; send it yourself: \(command)"
            case .yourself: "this is your own address or number"
            case .noList: "the list was deleted, or has another owner"
            case .full: "the list, the network or the account is full"
            case .linkExpired: "it has expired, or was revoked"
            case .blocked: "you have blocked this person; unblock them and accept again"
            case .alreadyInvited: "another of your devices has already sent this invitation"
            case .paused: "the programme is paused"
            case .noShareable: "what was shared has been removed"
            default: nil
            }
        return [sentence ?? reason.rawValue, detail.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
    }
}
