import KithModel

extension Presence.State {
    /// The state of a person with several devices.
    ///
    /// A state that the person has chosen takes precedence over the state of the devices: invisible or busy on one
    /// device applies to all. Otherwise the most available device counts.
    func combined(with others: some Collection<Self>) -> Self {
        let order: [Self] = [.invisible, .busy, .online, .away]
        return order.first { $0 == self || others.contains($0) } ?? .offline
    }

    /// The state as others see it.
    var shown: Self { self == .invisible ? .offline : self }
}
