import Foundation
import KithModel
import KithServer

/// What people have sent to the server of a world of sharing, and when the server has processed it.
///
/// The world looks at the server after each step, so the order of what happens in different steps is known. The auditor
/// derives from it what the server has to decide.
struct SharingHistory {
    /// The time of one look at the server.
    struct Moment: Hashable {
        /// The number of the look. What happened before has a smaller one.
        let number: Int
        let time: Timestamp
        /// The programmes that are paused.
        let paused: Set<String>
    }

    /// A registered code.
    struct Code {
        let owner: AccountID
        let programme: String
        let arrived: Moment
    }

    /// A code that an account has used.
    struct UsedCode {
        let account: AccountID
        let key: String
        let used: Timestamp
        let arrived: Moment
        /// When the server has decided about it.
        var decided: Moment?
    }

    /// An account that has proved who it is.
    struct SignUp {
        let joined: Timestamp
        /// When the server has decided who has brought the account.
        var decided: Moment?
    }

    /// An event that an app has recorded.
    struct Event {
        let programme: String
        let name: String
        /// Whether the server has not processed it.
        var isWaiting = true
        /// When the server has processed it. An app can send it again after that.
        var processed: [Moment] = []
    }

    /// Somebody who was brought to a programme.
    struct Friend: Hashable {
        let account: AccountID
        let programme: String
    }

    private(set) var codes: [String: Code] = [:]
    private(set) var usedCodes: [RecordPlace: UsedCode] = [:]
    private(set) var signUps: [AccountID: SignUp] = [:]
    private(set) var events: [RecordPlace: Event] = [:]
    /// When it was decided who has brought somebody.
    private(set) var bound: [Friend: Moment] = [:]
    private var looks = 0

    /// Notes what has changed on the server since the last look.
    mutating func look(at database: any ImmediateDatabase, time: Timestamp, paused: Set<String>) throws {
        let moment = Moment(number: looks, time: time, paused: paused)
        looks += 1
        let rows = try database.readNow { transaction in
            (
                codes: try transaction.query(
                    "SELECT key, account, programme FROM share_code WHERE account IS NOT NULL"),
                usedCodes: try transaction.query("SELECT account, id, key, used, is_open FROM claim"),
                signUps: try transaction.query("SELECT account, joined, due FROM sign_up"),
                bound: try transaction.query("SELECT account, programme FROM attribution"),
                events: try transaction.query(
                    """
                    SELECT feed, id, 0, fields FROM record WHERE collection = 'event'
                    UNION ALL SELECT feed, id, 1, NULL FROM tombstone WHERE collection = 'event'
                    """)
            )
        }
        for row in rows.codes {
            let key = try row.text(0)
            if codes[key] == nil {
                codes[key] = Code(owner: try row.id(1), programme: try row.text(2), arrived: moment)
            }
        }
        for row in rows.usedCodes { try noteUsedCode(row, at: moment) }
        for row in rows.signUps {
            let account: AccountID = try row.id(0)
            var signUp = try signUps[account] ?? SignUp(joined: row.time(1))
            if row.isNull(2), signUp.decided == nil { signUp.decided = moment }
            signUps[account] = signUp
        }
        for row in rows.bound {
            let friend = Friend(account: try row.id(0), programme: try row.text(1))
            if bound[friend] == nil { bound[friend] = moment }
        }
        for row in rows.events { try noteEvent(row, at: moment) }
    }

    private mutating func noteUsedCode(_ row: SQLRow, at moment: Moment) throws {
        let place = RecordPlace(try row.id(0), try row.id(1))
        var one =
            try usedCodes[place]
            ?? UsedCode(account: row.id(0), key: row.text(2), used: row.time(3), arrived: moment)
        if try !row.flag(4), one.decided == nil { one.decided = moment }
        usedCodes[place] = one
    }

    private mutating func noteEvent(_ row: SQLRow, at moment: Moment) throws {
        let place = RecordPlace(try row.id(0), try row.id(1))
        if try row.flag(2) {
            guard events[place]?.isWaiting ?? false else { return }
            events[place]?.isWaiting = false
            events[place]?.processed.append(moment)
        } else if events[place] == nil {
            let fields = try StoredText.fields(row.text(3))
            events[place] = Event(programme: fields["programme"]?.text ?? "", name: fields["name"]?.text ?? "")
        } else {
            events[place]?.isWaiting = true
        }
    }
}
