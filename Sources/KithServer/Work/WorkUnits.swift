/// What work costs, in units. A unit takes the server about a tenth of a millisecond.
package enum WorkUnits {
    /// What mutations cost.
    package static func mutations(_ count: Int) -> Int { count }
    /// What evaluations for discovery cost.
    package static func evaluations(_ count: Int) -> Int { 2 * count }
    /// What bytes cost that are read and answered.
    package static func bytes(_ count: Int) -> Int { count >> 12 }
}
