import KithModel
import Testing

@Suite("The binary search") struct PartitionTests {
    @Test("Finds the first element that satisfies the predicate, in collections of any length", arguments: 0..<20)
    func everyPlace(count: Int) {
        let numbers = Array(0..<count)
        for bound in 0...count { #expect(numbers.partitionIndex { $0 >= bound } == bound) }
        #expect(numbers[(count / 2)...].partitionIndex { $0 >= 0 } == count / 2)
    }
}
