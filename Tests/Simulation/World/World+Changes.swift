import Kith
import KithModel

/// How people's edits are written on their devices.
extension World {
    /// Makes one write on a device, which may crash during it.
    ///
    /// - Returns: Whether the write was made.
    @discardableResult
    func change(
        _ index: Int, _ what: String, together: Bool = false, _ body: (Changes) throws -> Void
    ) throws -> Bool {
        let device = devices[index]
        let before = try device.content()
        auditor.begin(index, account: before.account.id, together: together)
        do {
            try device.replica.writeNow { try body(Changes($0, isGroup: together)) }
            note("\(device.name): \(what)")
            auditor.commit()
            try tell(index, .edited)
            return true
        } catch is Crash {
            note("\(device.name): \(what)")
            let wasCommitted = try recover(index)
            let after = try device.content()
            if wasCommitted {
                auditor.commit()
            } else {
                auditor.rollBack()
                if after.isChanged(from: before) {
                    throw fail(.allOrNothing, "a write that crashed before its commit left something behind")
                }
            }
            return wasCommitted
        } catch let error as KithError where Self.refusals.contains(error.code) {
            // An edit that the device itself refuses must change nothing.
            note("\(device.name): \(what): \(error.code)")
            auditor.rollBack()
            let after = try device.content()
            guard before.lists == after.lists, before.items == after.items, before.waiting == after.waiting else {
                throw fail(.allOrNothing, "\(device.name) refuses an edit, and something of it is left")
            }
            return false
        }
    }

    /// Judges that what was moved stands after its predecessor, or first, and that the others keep their order.
    func judgeMove<Record>(
        of id: RecordID<Record>, after predecessor: RecordID<Record>?, _ before: [RecordID<Record>],
        _ after: [RecordID<Record>]
    ) throws {
        var order = before.filter { $0 != id }
        order.insert(id, at: predecessor.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
        if after != order { throw fail(.readYourWrites, "\(id) does not stand where it was put") }
    }

    /// A text that nobody else writes, so that it can be tracked.
    func fresh(_ kind: String) -> String {
        let text = "\(kind) \(step)"
        return random.oneIn(4) ? text + (Self.scripts.randomElement(using: &random) ?? "") : text
    }

    /// Difficult endings of texts: composed and decomposed, right to left, joined, beyond 16 bits, and escaped.
    private static let scripts = [
        " é", " e\u{301}", " ﷺ", " שלום", " 👩‍👩‍👧", " 𝔎", " \"q\" \\", " a\nb", " \u{FEFF}", " İı", " ％s", " \u{7F}",
    ]

    /// The errors with which a device itself refuses an edit.
    private static let refusals: [KithError.Code] = [
        .forbidden, .notFound, .invalid, .yourself, .alreadyConnected, .noRequest, .tooSoon,
    ]
}
