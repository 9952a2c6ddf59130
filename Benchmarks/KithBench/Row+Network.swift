extension Row {
    static let network: [Row] = [
        Row("discovery", "looking for the numbers of an address book among a million") { run in
            try await measureDiscovery(run)
        },
        Row("numbers", "finding people by their numbers in 100,000 cards") { run in
            try await NumberLookup(run).measure()
        },
    ]
}
