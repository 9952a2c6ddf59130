import Foundation
import Kith
import KithModel

/// A device that is filled from prepared answers in a process of its own, so that its memory can be measured and it can be
/// killed.
enum FillingDevice {
    /// The argument that makes this program the device.
    static let argument = "filling-device"
    /// The argument for a device that posts notifications.
    static let postingArgument = "posting-filling-device"

    /// Fills a replica, and says what it does in lines: `ready`, then `takes N` before and `stored N` after each answer,
    /// where N is the number of items that the replica then has, and at last the peak `memory` in bytes.
    ///
    /// - Parameters:
    ///   - path: The replica. The answers are in its folder.
    ///   - postsNotifications: Whether changes are posted as notifications.
    /// - Throws: An error of the replica or of the files.
    static func fill(_ path: String, postsNotifications: Bool) throws {
        let file = URL(filePath: path)
        let folder = file.deletingLastPathComponent()
        let answers = try FillAnswers(in: folder)
        let rounds = Rounds(replica: try answers.device(at: file, postsNotifications: postsNotifications))
        say("ready")
        while let request = try rounds.begin() {
            // If the last answer was stored before the process was killed, the device asks for changes after it.
            guard let place = answers.place(of: request) else { break }
            let data = try Data(contentsOf: FillAnswers.file(place, in: folder))
            say("takes \(answers.items[place])")
            let next = try rounds.finish(request, SyncAnswer(json: data))
            say("stored \(answers.items[place])")
            if next != .again { break }
        }
        say("memory \(ProcessUsage().peakMemory)")
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
