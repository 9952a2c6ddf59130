import Foundation
import KithModel
import KithServer

extension LinkedList {
    /// The list of the samples.
    static let sampleID = ListID(.init(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_1000))

    /// The item with this index.
    static func sampleItem(_ index: Int) -> ItemID {
        ItemID(.init(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_2000 + UInt64(index)))
    }

    /// The first item is given by the browser with the secret `mine`, the second by another.
    static let sampleGifts = Ticks.gifts([
        sampleItem(0): GiftTable.giver("mine", of: sampleID), sampleItem(1): GiftTable.giver("other", of: sampleID),
    ])

    /// A list with this text in each place for text from people. The last item is ticked.
    static func sample(
        _ text: String, items count: Int = 4, _ ticks: Ticks = .none, more: Bool? = nil
    ) -> LinkedList {
        let items = (0..<count).map { index in
            PublicList.Item(
                title: text, count: index == 0 ? 3 : 1, ticked: index == 3, category: text,
                comment: index < 4 ? text : nil)
        }
        return LinkedList(
            PublicList(name: text, modified: Timestamp(milliseconds: 0), items: items, more: more), id: sampleID,
            token: "abc-DEF_1", items: (0..<count).map { sampleItem($0) }, ticks: ticks)
    }
}
