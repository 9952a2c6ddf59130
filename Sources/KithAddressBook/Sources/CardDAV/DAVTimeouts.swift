/// How long a transport waits for a server.
package struct DAVTimeouts: Sendable {
    /// Until the connection is made.
    package var connecting = Duration.seconds(30)
    /// The longest time without any bytes in either direction, in whole seconds.
    package var silence = Duration.seconds(30)
    /// Until the answer to a request for several cards is complete, even if bytes keep arriving. After that, fewer
    /// cards are requested.
    package var cards = Duration.seconds(60)
    /// Until the answer to a request for a single card is complete: enough for a large picture on a slow line.
    package var card = Duration.seconds(180)
    /// Until any other answer is complete: enough for a listing of 100,000 cards on a slow line.
    package var whole = Duration.seconds(15 * 60)

    package init() {}

    /// How long the answer to a request may take in all.
    package func deadline(of request: DAVRequest) -> Duration {
        switch request.extent {
        case .whole: whole
        case .cards: cards
        case .card: card
        }
    }
}
