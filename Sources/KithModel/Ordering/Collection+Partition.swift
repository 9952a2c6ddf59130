extension RandomAccessCollection {
    /// The index of the first element that satisfies the predicate, which all later elements also satisfy: a binary
    /// search. The end if there is none.
    @inlinable package func partitionIndex(where isBehind: (Element) -> Bool) -> Index {
        var (low, count) = (startIndex, count)
        while count > 0 {
            let middle = index(low, offsetBy: count / 2)
            if isBehind(self[middle]) {
                count /= 2
            } else {
                low = index(after: middle)
                count -= count / 2 + 1
            }
        }
        return low
    }
}
