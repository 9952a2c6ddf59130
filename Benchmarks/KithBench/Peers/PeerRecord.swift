import Foundation
import KithModel

/// A record that every server in the comparison stores: an item of a list.
struct PeerRecord {
    let id: String
    let title: String
    let position: String
    let comment: String

    /// So many new records.
    static func sample(_ count: Int) -> [PeerRecord] {
        var random = SystemRandomNumberGenerator()
        return (0..<count).map { index in
            PeerRecord(
                id: UUID.version7(time: Timestamp(Date()), using: &random).text, title: SampleItem.title(index),
                position: SampleItem.position(index), comment: SampleItem.comment)
        }
    }

    /// The record in Kinto. None of the texts needs an escape.
    var json: String { #"{"title":"\#(title)","position":"\#(position)","comment":"\#(comment)"}"# }

    /// The record in CalDAV.
    var todo: String {
        """
        BEGIN:VCALENDAR\r
        VERSION:2.0\r
        PRODID:-//Kith//Benchmark//EN\r
        BEGIN:VTODO\r
        UID:\(id)\r
        DTSTAMP:20260101T000000Z\r
        SUMMARY:\(title)\r
        DESCRIPTION:\(comment.replacing(",", with: "\\,"))\r
        X-POSITION:\(position)\r
        END:VTODO\r
        END:VCALENDAR\r

        """
    }
}
