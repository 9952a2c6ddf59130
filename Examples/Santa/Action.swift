/// What the user can do, with its line of the menu.
enum Action: String, CaseIterable, Sendable {
    case state = "state – the session, and what waits to be sent"
    case who = "who – my account, my name and my email"
    case name = "name NAME – change my name"
    case wishes = "wishes – my wish list"
    case wish = "wish TEXT – add a wish"
    case page = "page – show my wishes on the page of my link, where friends can say “I give this”"
    case message = "message – the text that I would send"
    case link = "link – my link"
    case share = "share [CHANNEL] – share in a channel"
    case use = "use CODE – use the code or the link of a friend"
    case friends = "friends – who has come because of me, and my rewards"
    case identify = "identify EMAIL – say who I am, and prove it with a code"
    case save = "save – save the session's token in a file"
    case restore = "restore – open the session of the saved token"
    case new = "new – begin a new session"
    case out = "out – log out"
    case log = "log – what the SDK has done"
    case help = "help – this menu"
    case quit = "quit – until next time"

    /// The menu. Actions are chosen by their number or their word.
    static var menu: String { allCases.enumerated().map { "\($0 + 1) \($1.rawValue)" }.joined(separator: "\n") }

    /// Reads a number or a word; nil if there is no such action.
    init?(_ typed: String) {
        let found = Self.allCases.enumerated().first { number, action in
            "\(number + 1)" == typed || action.rawValue.hasPrefix("\(typed.lowercased()) ")
        }
        guard let found else { return nil }
        self = found.element
    }
}
