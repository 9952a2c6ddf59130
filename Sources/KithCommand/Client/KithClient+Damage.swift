import Foundation
import Kith

/// Notes about a damaged replica. They are shown when the damage is found, and as long as the damaged file is kept.
extension KithClient {
    /// Where the damaged data was moved when this client was opened; nil if it was sound.
    var noteOfDamage: String? {
        damagedReplica.map {
            "The data of this device was damaged. It is kept in \($0.path(percentEncoded: false)); what could be saved "
                + "of it is here again, and a sync brings what the server has. If your account is not in “kith accounts”, its "
                + "token may still be in credentials.json of the same folder: kith session use TOKEN"
        }
    }
}

extension CommandLocation {
    /// The damaged files that were moved aside in this folder, until someone deletes them.
    var damaged: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return names.filter { $0.hasPrefix("kith.sqlite.broken-") && $0.last?.isNumber == true }.sorted()
            .map { folder.appending(path: $0).path(percentEncoded: false) }
    }
}
