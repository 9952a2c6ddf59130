/// A placed entry that can have an owner's label.
protocol LabelledEntry: PlacedEntry {
    var label: String? { get set }
}

extension Card.Email: LabelledEntry {}
extension Card.Phone: LabelledEntry {}
extension Card.OnlineService: LabelledEntry {}
extension Card.Address: LabelledEntry {}
extension Card.Resource: LabelledEntry {}
