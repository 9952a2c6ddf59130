import Kith
import KithModel

extension Rejection {
    /// The kind of edit, its record and its list; for a contact of the network, the intention and the person.
    func what(_ names: [AccountID: String] = [:]) -> String {
        guard let accountID else {
            let edit = isCreation ? "add" : isOfMissingDuplicate ? "merge" : "change"
            let deed = isDeletion ? (collection == .memberships ? "leave" : "remove") : edit
            let known = listName ?? (collection == .lists ? title : nil)
            let list = known?.shortQuoted ?? listID.map { "list \($0)" } ?? ""
            if collection == .lists || collection == .memberships { return "\(deed) list \(list)" }
            let name = title.map { " \($0.shortQuoted)" } ?? ""
            return "\(deed) \(collection)\(name)" + (list.isEmpty ? "" : " \(isCreation ? "to" : "in") \(list)")
        }
        let name = names[accountID] ?? title ?? accountID.called
        return switch (values["wish"]?.text, values["isBlocked"], values["mutedFrom"]) {
        case ("connect"?, _, _): "ask \(name)"
        case ("accept"?, _, _): "accept \(name)"
        case ("decline"?, _, _): "decline \(name)"
        case (.some, _, _): "take back from \(name)"
        case (_, .some(let flag), _): "\(flag == true ? "block" : "unblock") \(name)"
        case (_, _, .some(let time)): "\(time == .null ? "unmute" : "mute") \(name)"
        default: "change \(name)"
        }
    }

    /// Whether the edit would have made the record. Only such an edit writes these fields together.
    var isCreation: Bool {
        guard current == nil, !isDeletion else { return false }
        return switch collection {
        case .items: values["title"] != nil && values["position"] != nil
        case .lists: values["name"] != nil && values["kind"] != nil
        case .invitations: values["purpose"] != nil
        case .shareables: values["programme"] != nil
        case .shares: values["shareable"] != nil
        case .claims: values["used"] != nil
        case .events: true
        default: false
        }
    }

    /// Whether the edit changes nothing, and only required that an item that was to be merged is there and unchanged: see
    /// `Changes.merge(_:)`.
    var isOfMissingDuplicate: Bool { collection == .items && values == ["count": 0] }
}

extension String {
    /// A name in quotation marks, at most 60 characters of it: a title can have 500.
    fileprivate var shortQuoted: String {
        let short = count > 60 ? String(prefix(60)) + "…" : self
        return "“\(short)”"
    }
}
