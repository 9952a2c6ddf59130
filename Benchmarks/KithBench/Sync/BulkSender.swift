import Foundation
import KithModel
import KithServer

/// A device that only sends many new items to a database of a server, and has no replica.
struct BulkSender {
    let account: AccountID
    private let device: DeviceID
    private var acknowledged = Acknowledgement.none
    private var random = SplitMix64(seed: 11)

    init(account: AccountID) {
        self.account = account
        device = DeviceID(.version7(time: Timestamp(.now), using: &random))
    }

    /// Sends items in the order of their identities and positions.
    mutating func send(_ count: Int, to list: ListID, in database: SQLiteDatabase) throws {
        let positions = IndexKey.spread(count)
        for start in stride(from: 0, to: count, by: Limits.mutations) {
            let first = acknowledged.number + 1
            let mutations = (start..<min(start + Limits.mutations, count)).enumerated().map { offset, index in
                let number = first + Int64(offset)
                return Mutation(
                    id: MutationID(newID(number)), number: number, feed: list.retyped(), collection: .items,
                    record: RecordID(newID(number)), seen: 0,
                    change: .set([
                        "title": .text("Something to buy, number \(index)"), "position": .text(positions[index].text),
                    ]))
            }
            let request = SyncRequest(
                account: account, device: device, acknowledged: acknowledged,
                sent: acknowledged.number + Int64(mutations.count), mutations: mutations, token: nil)
            let pushed = try database.writeNow { [account] transaction in
                try SyncRound(request, as: account, at: Timestamp(.now)).push(in: transaction)
            }
            let isTaken = pushed.standing == .recognised && pushed.acknowledged.number == request.sent
            try Mismatch.unless(isTaken, "The server has not taken the items.")
            acknowledged = pushed.acknowledged
        }
    }

    /// An identity of version 7 whose time grows with the number.
    private mutating func newID(_ number: Int64) -> UUID {
        .version7(time: Timestamp(milliseconds: 1_790_000_000_000 + number), using: &random)
    }
}
