extension Signals.Job {
    /// ``ProfileFanout``: updates the contacts of people whose profiles have changed.
    static let profileFanout = Self("profileFanout")
}

extension Signals {
    /// Whether a profile has changed.
    package var hasNewProfiles: Bool {
        get { jobs.contains(.profileFanout) }
        set { if newValue { jobs.insert(.profileFanout) } else { jobs.remove(.profileFanout) } }
    }
}
