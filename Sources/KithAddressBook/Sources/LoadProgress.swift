/// The progress of a load. It is reported often; the receiver decides how often to draw it.
public struct LoadProgress: Sendable {
    private let tell: @Sendable (_ done: Int, _ of: Int?) -> Void

    /// Progress that is reported to `tell`: how much is done, and the total if it is known, in units of the source.
    public init(_ tell: @escaping @Sendable (_ done: Int, _ of: Int?) -> Void) { self.tell = tell }

    /// Progress that is not reported.
    public static let unheard = LoadProgress { _, _ in }

    /// Reports the progress.
    public func report(_ done: Int, of total: Int? = nil) { tell(done, total) }
}
