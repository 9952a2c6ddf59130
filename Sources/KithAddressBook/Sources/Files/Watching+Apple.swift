#if canImport(Darwin)
    import Darwin
    import Dispatch
    import Foundation
    import Synchronization

    /// Watches every folder on the way to a path, with kqueue through Dispatch.
    ///
    /// It notices when entries of a folder are created, deleted or replaced, which is how programs save vCards. A file
    /// of a watched folder that is overwritten in place is noticed only at the next load.
    final class Watching: Sendable {
        private let watch: PathWatch
        private let tell: @Sendable () -> Void
        private let queue = DispatchQueue(label: "kith.watching")
        /// Nil after the end.
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
