import KithServer
import Testing

@Suite("The pages of a copy") struct PageSizeTests {
    @Test("have many small rows, and few large ones") func sizes() {
        var size = PageSize()
        for _ in 0..<6 { size.adapt(toRows: size.rows, ofBytes: size.rows * 40) }
        #expect(size.rows == PageSize.most)
        size.adapt(toRows: size.rows, ofBytes: size.rows * 64_000)
        #expect(size.rows == PageSize.bytes / 64_000)
        size.adapt(toRows: size.rows, ofBytes: size.rows * 2 * PageSize.bytes)
        #expect(size.rows == 1)
    }

    @Test("Trap: small rows before large ones make no huge page") func growth() {
        var size = PageSize()
        size.adapt(toRows: size.rows, ofBytes: 16)
        #expect(size.rows == 4 * PageSize.first)
    }

    @Test("stay as they are after an empty page") func empty() {
        var size = PageSize()
        size.adapt(toRows: 0, ofBytes: 0)
        #expect(size.rows == PageSize.first)
    }
}
