import KithModel
import KithServer
import Testing

@Suite("The watch of the server's clock") struct ClockWatchTests {
    private static let noon = Timestamp(milliseconds: 1_800_014_400_000)
    private static let hour = ClockWatch.patience

    @Test("a clock that runs on is trusted, at the first start and later") func steady() {
        var watch = ClockWatch()
        #expect(watch.judge(Self.noon, at: .zero, last: nil) == .trusted)
        #expect(watch.judge(Self.noon + .days(9), at: .days(9), last: Self.noon) == .trusted)
        #expect(watch.judge(Self.noon + .days(9) + ClockWatch.tolerance, at: .days(9), last: nil) == .trusted)
    }

    @Test("Trap: A clock that is ahead for some seconds would delete what has not expired – it is not trusted")
    func ahead() {
        var watch = ClockWatch()
        let wrong = Self.noon + .days(200)
        #expect(watch.judge(wrong, at: .zero, last: Self.noon) == .ahead(.days(200), isNew: true))
        #expect(
            watch.judge(wrong + .seconds(4), at: .seconds(4), last: Self.noon)
                == .ahead(.days(200) + .seconds(4), isNew: false))
        #expect(watch.judge(Self.noon + .seconds(5), at: .seconds(5), last: Self.noon) == .trusted)
        // Ahead again while the server runs.
        #expect(watch.judge(wrong, at: .seconds(5), last: nil) == .ahead(.days(200) - .seconds(5), isNew: true))
    }

    @Test("a clock that runs on for an hour after a jump is trusted, as after a long stop") func stopped() {
        var watch = ClockWatch()
        let start = Self.noon + .days(30)
        #expect(watch.judge(start, at: .zero, last: Self.noon) != .trusted)
        let almost = Self.hour - .seconds(1)
        #expect(watch.judge(start + almost, at: almost, last: Self.noon) != .trusted)
        #expect(watch.judge(start + Self.hour, at: Self.hour, last: Self.noon) == .trusted)
    }

    @Test("another jump within the hour begins a new hour") func again() {
        var watch = ClockWatch()
        #expect(watch.judge(Self.noon + .days(30), at: .zero, last: Self.noon) != .trusted)
        let later = Self.noon + .days(60)
        #expect(watch.judge(later, at: Self.hour, last: Self.noon) == .ahead(.days(60), isNew: true))
        #expect(watch.judge(later + Self.hour, at: Self.hour + Self.hour, last: Self.noon) == .trusted)
    }

    @Test("a clock that was set back is trusted") func back() {
        var watch = ClockWatch()
        #expect(watch.judge(Self.noon - .days(400), at: .zero, last: Self.noon) == .trusted)
    }
}
