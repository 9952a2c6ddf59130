#if canImport(Darwin)
    import Darwin
    import Dispatch
    import Foundation
    import Synchronization

    /// The system's watch, kqueue through Dispatch, on everything that leads to a path.
    ///
    /// It hears of a folder when entries come, go or are replaced, as programs that keep vCards do it. What is written
    /// into a file of a watched folder in place is seen at the next load.
    final class Watching: Sendable {
        private let watch: PathWatch
        private let tell: @Sendable () -> Void
        private let queue = DispatchQueue(label: "kith.watching")
        /// nil at the end.
        private let sources = Mutex<[any DispatchSourceProtocol]?>([])

        init(_ watch: PathWatch, _ tell: @escaping @Sendable () -> Void) {
            (self.watch, self.tell) = (watch, tell)
            let quiet = QuietPeriod(PathWatch.quietPeriod, on: queue) { [weak self] in self?.setAgainAndTell() }
            self.quiet.withLock { $0 = quiet }
            set()
        }

        private let quiet = Mutex<QuietPeriod?>(nil)

        func end() {
            sources.withLock { sources in
                for source in sources ?? [] { source.cancel() }
                sources = nil
            }
        }

        private func setAgainAndTell() {
            set()
            tell()
        }

        private func set() {
            let quiet = quiet.withLock { $0 }
            sources.withLock { sources in
                guard let old = sources else { return }
                sources = (Array(watch.interests.keys) + [watch.path]).compactMap { path in
                    let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
                    guard descriptor >= 0 else { return nil }
                    let source = DispatchSource.makeFileSystemObjectSource(
                        fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .delete, .rename],
                        queue: queue)
                    source.setEventHandler { quiet?.note() }
                    source.setCancelHandler { close(descriptor) }
                    source.activate()
                    return source
                }
                for source in old { source.cancel() }
            }
        }
    }
#endif
