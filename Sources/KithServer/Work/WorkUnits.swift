/// The costs of work, in units. The server needs about a tenth of a millisecond for a unit.
package enum WorkUnits {
    /// The cost of mutations.
    package static func mutations(_ count: Int) -> Int { count }
    /// The cost of evaluations for discovery.
    package static func evaluations(_ count: Int) -> Int { 2 * count }
    /// The cost of bytes that are read and sent.
    package static func bytes(_ count: Int) -> Int { count >> 12 }
}
