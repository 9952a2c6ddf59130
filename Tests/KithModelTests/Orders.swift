extension Swift.Collection {
    /// Every order of the elements.
    var orders: [[Element]] {
        guard let first else { return [[]] }
        return dropFirst().orders.flatMap { rest in
            (0...rest.count).map { rest.prefix($0) + [first] + rest.dropFirst($0) }
        }
    }
}
