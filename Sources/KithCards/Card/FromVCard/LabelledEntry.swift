/// A placed entry that its owner can call something.
protocol LabelledEntry: PlacedEntry {
    var label: String? { get set }
}

extension Card.Email: LabelledEntry {}
extension Card.Phone: LabelledEntry {}
extension Card.OnlineService: LabelledEntry {}
extension Card.Address: LabelledEntry {}
extension Card.Resource: LabelledEntry {}
