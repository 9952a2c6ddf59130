#if !canImport(Darwin)
    import Dispatch
    import Foundation
    import Synchronization

    /// The system's watch, inotify, on everything that leads to a path.
    package final class Watching: Sendable {
        private let watch: PathWatch
        private let tell: @Sendable () -> Void
        private let queue = DispatchQueue(label: "kith.watching")
        private let state = Mutex(State())

        private struct State {
            /// What wakes us: inotify's own file, or a timer where the system has no watch left. nil at the end.
            var source: (any DispatchSourceProtocol)?
            var descriptor: Int32 = -1
            /// What each of inotify's watches is for.
            var interests: [Int32: PathWatch.Interest] = [:]
        }

        private static let names = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        private static let content = IN_MODIFY | IN_CLOSE_WRITE
        /// What is told of no entry: more has happened than is remembered; a disk is gone.
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

        /// Supposes a change now and then: each costs no more than a look at the files.
        private func poll(_ state: inout State) {
            state.source?.cancel()
            if state.source == nil, state.descriptor >= 0 { close(state.descriptor) }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + PathWatch.pollingInterval, repeating: PathWatch.pollingInterval)
            timer.setEventHandler(handler: tell)
            timer.activate()
            state.source = timer
        }

        /// Sets the watches for what is there now, then tells: what happens in between is seen by whoever is told.
        private func setAgainAndTell() {
            state.withLock { state in
                if state.source != nil, !set(&state) { poll(&state) }
            }
            tell()
        }

        /// Sets a watch on each folder that is there, from the root on; one that is made meanwhile is an event above it.
        ///
        /// - Returns: Whether the system had a watch for each.
        private func set(_ state: inout State) -> Bool {
            var interests: [Int32: PathWatch.Interest] = [:]
            for (folder, interest) in watch.interests.sorted(by: { $0.key.utf8.count < $1.key.utf8.count }) {
                // Added, because two ways may lead through one folder.
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

        /// Reads what has happened, and says whether any of it matters.
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
