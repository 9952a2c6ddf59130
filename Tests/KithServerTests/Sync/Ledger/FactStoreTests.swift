import KithServer
import Testing

@Suite("The facts of single collections") struct FactStoreTests {
    private struct Names: LedgerFacts {
        var names: [String] = []
    }

    private struct Count: LedgerFacts {
        var count = 0
    }

    @Test("Facts that were not stored are those of a request that does not concern the collection") func none() {
        let store = FactStore()
        #expect(store[Names.self].names.isEmpty)
        #expect(store[Count.self].count == 0)
    }

    @Test("Each type has facts of its own, and each change adds to the one before") func types() {
        var store = FactStore()
        store[Names.self].names.append("Ada")
        store[Count.self].count += 1
        store[Names.self].names.append("Ben")
        #expect(store[Names.self].names == ["Ada", "Ben"])
        #expect(store[Count.self].count == 1)
        store[Count.self] = Count(count: 5)
        #expect(store[Count.self].count == 5)
    }

    @Test("A copy keeps what it had, so that changes can be undone") func copies() {
        var store = FactStore()
        store[Names.self].names = ["Ada"]
        let former = store
        store[Names.self].names.append("Ben")
        store[Count.self].count = 2
        #expect(former[Names.self].names == ["Ada"])
        #expect(former[Count.self].count == 0)
        store = former
        #expect(store[Names.self].names == ["Ada"])
    }
}
