/// The parts of measurements that run in a process of their own. Each is this program with other arguments.
enum ChildProcess {
    /// Runs the part that the arguments name.
    ///
    /// - Returns: Whether the arguments name a part.
    static func run(_ arguments: [String]) async throws -> Bool {
        guard let name = arguments.first else { return false }
        if name == StreamingMemory.argument {
            try StreamingMemory.measureHere()
            return true
        }
        guard arguments.count == 2 else { return false }
        switch name {
        case OverloadedServer.argument: try await OverloadedServer.serve(database: arguments[1])
        case LinkServer.argument: try await LinkServer.serve(database: arguments[1])
        case FillingDevice.argument: try FillingDevice.fill(arguments[1], postsNotifications: false)
        case FillingDevice.postingArgument: try FillingDevice.fill(arguments[1], postsNotifications: true)
        case PlainServer.argument: try await PlainServer.serve(page: Int(arguments[1]) ?? 0)
        default: return false
        }
        return true
    }
}
