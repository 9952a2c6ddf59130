import Kith
import KithModel

extension Rejection {
    /// The kind of edit, its record and its list; for a contact of the network, the intention and the person.
    func what(_ names: [AccountID: String] = [:]) -> String {
        guard let accountID else {
            let edit = isOfMissingDuplicate ? "merge" : "change"
            let deed = isDeletion ? (collection == .memberships ? "leave" : "remove") : edit
            let list = listName.map { "“\($0)”" } ?? listID.map { "list \($0)" } ?? ""
            if collection == .lists || collection == .memberships { return "\(deed) list \(list)" }
            let name = title.map { " “\($0)”" } ?? ""
            return "\(deed) \(collection)\(name)" + (list.isEmpty ? "" : " in \(list)")
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

    /// Whether the edit changes nothing, and only had to find an item that was to be merged: see `Changes.merge(_:)`.
    var isOfMissingDuplicate: Bool { collection == .items && values == ["count": 0] }
}
