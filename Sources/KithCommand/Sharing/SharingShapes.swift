import Foundation
import Kith
import KithModel

/// The records of sharing for `--json`, and their words for people.
extension Shareable {
    /// The shareable for `--json`. The link and whether it works are null where they are not known.
    func shape(link: String? = nil, isReady: Bool? = nil) -> Shape {
        [
            "id": id, "programme": programme, "code": code, "key": key, "label": label, "content": content,
            "values": data?.jsonValue, "list": list, "selected": selected?.date, "link": link, "isReady": isReady,
            "modified": modified.date,
        ]
    }

    /// The sentence about a paused programme, and what follows from that.
    func pauseNotice(_ consequence: String) -> String {
        "The programme “\(programme)” is paused. \(consequence)".printable
    }

    /// Its name, for a sentence.
    var called: String { label.map { "“\($0)”" } ?? key ?? code.text }

    /// The shareable by its key, its label and its code.
    var nameable: Nameable<ShareableID> {
        Nameable(
            id: id, name: label ?? key ?? code.text, otherNames: [key, code.text].compactMap(\.self),
            distinction: "\(code) in \(programme)")
    }

    /// A line for the news.
    var news: String { "code \(code) in \(programme)" + (label.map { " for “\($0)”" } ?? "") }
}

extension Share {
    /// The share for `--json`.
    var shape: Shape {
        var failure: MessageFailure?
        if case .failed(let found) = status { failure = found }
        return [
            "id": id, "shareable": shareable, "channel": channel, "recipient": recipient?.text, "subject": subject,
            "text": message, "language": language, "values": data?.jsonValue, "shared": shared.date,
            "status": status.word, "failure": failure?.reason.rawValue, "detail": failure?.detail,
            "modified": modified.date,
        ]
    }

    /// The recipient and the channel, in a few words.
    var destination: String {
        [recipient?.shown, "by \(channel.rawValue)"].compactMap(\.self).joined(separator: " ")
    }

    /// Whether its email has not reached its recipient.
    var hasFailed: Bool {
        if case .failed = status { true } else { false }
    }

    /// The status, in a few words.
    var statusText: String {
        switch status {
        case .pending: "being sent"
        case .shared: "shared"
        case .sent: "accepted for delivery"
        case .failed(let failure): "failed: \(failure.words(sendingWith: "kith share compose"))"
        }
    }

    /// A line for the news.
    var news: String { "share to \(destination): \(statusText)" }
}

extension Share.Status {
    fileprivate var word: String {
        switch self {
        case .pending: "pending"
        case .shared: "shared"
        case .sent: "sent"
        case .failed: "failed"
        }
    }
}

extension Claim {
    /// The claim for `--json`.
    var shape: Shape {
        var refusal: Refusal?
        if case .refused(let found) = status { refusal = found }
        return [
            "id": id, "code": code, "channel": channel?.rawValue, "used": used.date, "programme": programme,
            "status": status.word, "reason": refusal?.rawValue, "advocateName": advocateName, "modified": modified.date,
        ]
    }

    /// The status, in a few words.
    ///
    /// `isSignedUp` says whether the account is identified; nil if that is not known here.
    func statusText(isSignedUp: Bool? = nil) -> String {
        switch status {
        case .open:
            switch isSignedUp {
            case true?: "waits for the server’s answer"
            case false?: "waits until you sign up"
            case nil: "waits"
            }
        case .bound: "\(advocateName ?? "somebody") has brought you"
        case .refused(let refusal): "does not count: \(refusal.words)"
        }
    }

    /// A line for the news.
    var news: String { "used code \(code): \(statusText())" }
}

extension Claim.Status {
    fileprivate var word: String {
        switch self {
        case .open: "open"
        case .bound: "bound"
        case .refused: "refused"
        }
    }
}

extension Claim.Refusal {
    /// The reason for people.
    fileprivate var words: String {
        switch self {
        case .unknownCode: "nobody has this code"
        case .yourOwn: "it is your own"
        case .alreadyBound: "somebody else has brought you"
        case .tooLate: "it was used too late"
        case .paused: "the programme is paused"
        default: rawValue
        }
    }
}

extension Referral {
    /// The referral for `--json`.
    var shape: Shape {
        [
            "id": id, "programme": programme, "shareable": shareable, "basis": basis, "friendName": friendName,
            "joined": joined.date, "state": state, "modified": modified.date,
        ]
    }

    /// How the friend was brought, in a few words.
    var basisText: String {
        switch basis {
        case .code: "your code"
        case .recipient: "a share to them"
        }
    }

    /// What became of it, in a few words.
    var stateText: String {
        switch state {
        case .joined: "joined"
        case .held: "the reward is held for a while"
        case .granted: "rewarded"
        case .refused: "no reward"
        }
    }

    /// A line for the news.
    var news: String { "\(friendName ?? "somebody") has joined \(programme): \(stateText)" }
}

extension Reward {
    /// The reward for `--json`.
    var shape: Shape {
        [
            "id": id, "programme": programme, "name": name, "title": title, "side": side, "referral": referral,
            "event": event, "granted": granted.date, "modified": modified.date,
        ]
    }

    /// For what it was granted, in a few words.
    var purpose: String {
        switch side {
        case .advocate: "for bringing a friend"
        case .friend: "for joining"
        }
    }

    /// A line for the news.
    var news: String { "reward “\(title ?? name)” in \(programme) \(purpose)" }
}

extension ShareProgramme {
    /// The programme for `--json`.
    var shape: Shape {
        let texts = shares.map { ($0.key.rawValue, ["subject": $0.value.subject, "text": $0.value.text] as Shape) }
        let zones = zones.map { ["name": $0.name, "content": $0.content.jsonValue] as Shape }
        return [
            "name": name, "isPaused": isPaused, "title": title, "text": text, "url": url?.absoluteString,
            "shares": Dictionary(uniqueKeysWithValues: texts), "zones": zones,
            "codes": ["shortest": codes.lengths.lowerBound, "longest": codes.lengths.upperBound] as Shape,
            "advocateReward": advocateReward?.shape, "friendReward": friendReward?.shape,
        ]
    }
}

extension ShareProgramme.RewardOffer {
    fileprivate var shape: Shape { ["name": name, "title": title] }
}

extension String {
    /// The text as a JSON value; nil if it is not JSON.
    var jsonValue: FieldValue? { try? JSONDecoder().decode(FieldValue.self, from: Data(utf8)) }
}
