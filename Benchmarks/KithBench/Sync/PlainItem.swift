import Foundation
import KithModel

/// The values of an item's row, for the floor.
struct PlainItem {
    let list: UUID
    let id: UUID
    let title: String
    let position: String
    let creator: UUID
    let sequence: Int64
    let modified: Int64

    /// The items of an answer, in the order of its pages.
    static func all(in answer: SyncAnswer) -> [PlainItem] {
        answer.feeds.flatMap { feed in
            (feed.page?.columns ?? []).filter { $0.collection == .items }.flatMap { columns in
                (0..<columns.count).map { index in
                    func text(_ name: String) -> String? { columns.fields[name].flatMap { $0[index].text } }
                    return PlainItem(
                        list: feed.feed.uuid, id: columns.id(at: index).uuid, title: text("title") ?? "",
                        position: text("position") ?? "", creator: text("creator").flatMap { UUID(text: $0) } ?? UUID(),
                        sequence: columns.sequences[index], modified: columns.modified[index].milliseconds)
                }
            }
        }
    }
}
