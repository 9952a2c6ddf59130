import ArgumentParser
import KithModel

/// Which invitations a listing shows.
enum DirectionFlag: String, EnumerableFlag {
    case sent, received

    static func help(for value: DirectionFlag) -> ArgumentHelp? {
        value == .sent ? "Those that you have sent." : "Those that you have received."
    }

    var direction: Invitation.Direction { self == .sent ? .sent : .received }
}
