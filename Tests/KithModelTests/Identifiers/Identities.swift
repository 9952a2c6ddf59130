import Foundation
import KithModel

/// A UUID that reads well in a test: `00000000-0000-7000-8000-…` with `number` at its end.
func uuid(_ number: UInt64) -> UUID {
    UUID(high: 0x7000, low: 0x8000_0000_0000_0000 | number)
}
