import Kith
import KithModel

/// Law 10 (bounds): when a device retries after a failure.
extension Auditor {
    /// A failure is stored. If the session has ended, its state tells it. Any other failure leads to another attempt,
    /// not before the time that the server has asked for, and within ``RetrySchedule/longestPause``.
    func judgePause(after error: KithError, on device: SimulatedDevice, in world: World) throws {
        let account = try device.look().account
        switch error.code {
        case .accountClosed:
            if account.state == .inactive { return }
        case .unauthorized:
            if [.initial, .invalidToken].contains(account.state) { return }
        default:
            let asked = min(error.retryAfter ?? .zero, RetrySchedule.longestPause)
            let range = device.clock.now + asked...device.clock.now + RetrySchedule.longestPause
            if let retryAt = account.schedule.retryAt, range.contains(retryAt), account.schedule.attempt > 0 { return }
        }
        throw world.fail(
            .bounds,
            "\(device.name) heard \(error.code), to be tried after \(String(describing: error.retryAfter)), and is \(account.state), to try again at \(String(describing: account.schedule.retryAt)); it is \(device.clock.now)"
        )
    }
}
