import KithModel

extension Member {
    /// The member for `--json`: `name` is the person's name, `ownName` the name chosen for the list.
    func shape(me: AccountID?, _ names: [AccountID: String]) -> Shape {
        [
            "account": id, "list": listID, "role": role, "name": name(names), "ownName": name, "you": id == me,
            "modified": modified.date,
        ]
    }
}
