/// The changes in the records of an answer, and where their JSON is. After a push, most changes of a feed are among them.
struct WrittenChanges {
    private var places: [RecordID<Never>: (change: RecordChange, json: Range<Int>)] = [:]

    /// Writes a change, and notes where.
    mutating func add(_ change: RecordChange, to json: inout JSONWriter) {
        let start = json.bytes.count
        change.write(to: &json)
        places[change.id] = (change, start..<json.bytes.count)
    }

    /// Writes a change: again, if it is one of those that were added.
    func write(_ change: RecordChange, to json: inout JSONWriter) {
        if let written = places[change.id], written.change == change {
            json.repeatBytes(in: written.json)
        } else {
            change.write(to: &json)
        }
    }
}
