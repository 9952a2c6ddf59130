#if !canImport(Darwin)
    import Dispatch
    import Foundation
    import Synchronization

    /// Watches every folder on the way to a path, with inotify.
    package final class Watching: Sendable {
        private let watch: PathWatch
        private let tell: @Sendable () -> Void
        private let queue = DispatchQueue(label: "kith.watching")
        private let state = Mutex(State())

        private struct State {
            /// The event source: the inotify descriptor, or a timer if the system has no watches left. Nil after the
            /// end.
            var source: (any DispatchSourceProtocol)?
            var descriptor: Int32 = -1
            /// The interest behind each inotify watch.
            var interests: [Int32: PathWatch.Interest] = [:]
        }

        private static let names = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        private static let content = IN_MODIFY | IN_CLOSE_WRITE
        /// Events that name no entry: the queue has overflowed, or a file system was unmounted.
        private static let upheavals = IN_Q_OVERFLOW | IN_UNMOUNT

        package init(_ watch: PathWatch, _ tell: @escaping @Sendable () -> Void) {
            (self.watch, self.tell) = (watch, tell)
            state.withLock { state in
                state.descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
                if state.descriptor >= 0, set(&state) {
                    listen(&state)
                } else {
                    poll(&state)
                }
            }
        }

        package func end() {
            state.withLock { state in
                state.source?.cancel()
                state.source = nil
            }
        }

        private func listen(_ state: inout State) {
            let descriptor = state.descriptor
            let quiet = QuietPeriod(PathWatch.quietPeriod, on: queue) { [weak self] in self?.setAgainAndTell() }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { [weak self] in if self?.hasChanged(descriptor) == true { quiet.note() } }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            state.source = source
        }

        /// Assumes a change at an interval. Each costs only a look at the files.
        private func poll(_ state: inout State) {
            state.source?.cancel()
            if state.source == nil, state.descriptor >= 0 { close(state.descriptor) }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + PathWatch.pollingInterval, repeating: PathWatch.pollingInterval)
            timer.setEventHandler(handler: tell)
            timer.activate()
            state.source = timer
        }

        /// Sets the watches for the current folders, then notifies. The receiver reads the files after that, so it sees
        /// any change made in between.
        private func setAgainAndTell() {
            state.withLock { state in
                if state.source != nil, !set(&state) { poll(&state) }
            }
            tell()
        }

        /// Watches each existing folder, starting at the root. A folder that is created meanwhile causes an event in
        /// its parent.
        ///
        /// - Returns: False if the system has no watches left.
        private func set(_ state: inout State) -> Bool {
            var interests: [Int32: PathWatch.Interest] = [:]
            for (folder, interest) in watch.interests.sorted(by: { $0.key.utf8.count < $1.key.utf8.count }) {
                // `IN_MASK_ADD`, because two paths may lead through the same folder.
                let events = Self.names | (interest.includesContent ? Self.content : 0) | IN_ONLYDIR | IN_MASK_ADD
                let number = inotify_add_watch(state.descriptor, folder, UInt32(events))
                if number < 0, errno == ENOSPC || errno == ENOMEM { return false }
                if number >= 0 { interests[number, default: PathWatch.Interest()].add(interest) }
            }
            for number in state.interests.keys where interests[number] == nil {
                inotify_rm_watch(state.descriptor, number)
            }
            state.interests = interests
            return true
        }

        /// Reads the pending events. Returns whether any of them matters.
        private func hasChanged(_ descriptor: Int32) -> Bool {
            let interests = state.withLock { $0.interests }
            return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
                var hasChanged = false
                while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                    var place = 0
                    while place < count {
                        let event = buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                        let start = place + MemoryLayout<inotify_event>.size
                        place = start + Int(event.len)
                        let name = String(decoding: buffer[start..<place].prefix { $0 != 0 }, as: UTF8.self)
                        hasChanged =
                            hasChanged || Int32(bitPattern: event.mask) & Self.upheavals != 0
                            || interests[event.wd].map { !name.isEmpty && watch.matters(name, for: $0) } ?? false
                    }
                }
                return hasChanged
            }
        }
    }
#endif
