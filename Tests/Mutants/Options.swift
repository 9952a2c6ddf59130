/// What a run is asked for.
struct Options {
    var rows: [TestFolders.Row] = []
    /// Only mutants of files whose path begins like one of these.
    var prefixes: [String] = []
    var isList = false
    var isJSON = false
    /// Only this mutant.
    var only: Int?
    /// At most so many, drawn by lot.
    var most: Int?
    var seed: UInt64 = 1
    /// Run those again that were not killed.
    var isAgain = false
    /// Run only the nearest tests and a few seeds.
    var isQuick = false
    /// How many seeds the simulation is run with.
    var seeds = 20
    /// How many mutants run at once.
    var workers = 2

    init(_ arguments: [String], folders: TestFolders) throws {
        var rest = arguments[...]
        func number(_ option: String) throws -> Int {
            guard let text = rest.popFirst(), let number = Int(text), number > 0 else {
                throw Trouble("\(option) needs a number.")
            }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--list": isList = true
            case "--json": isJSON = true
            case "--again": isAgain = true
            case "--quick": isQuick = true
            case "--only": only = try number(argument)
            case "--most": most = try number(argument)
            case "--seed": seed = UInt64(try number(argument))
            case "--seeds": seeds = try number(argument)
            case "--workers": workers = try number(argument)
            case _ where argument.hasPrefix("-"): throw Trouble("There is no option \(argument).")
            default:
                let found = try folders.matching(argument)
                rows += found
                prefixes += found.map { argument.hasPrefix($0.source + "/") ? argument : $0.source + "/" }
            }
        }
        if rows.isEmpty {
            rows = folders.rows
            prefixes = rows.map { $0.source + "/" }
        }
    }

    /// Those that are asked for, in the order of their numbers.
    func choose(from candidates: [Candidate]) -> [Candidate] {
        let all = candidates.filter { candidate in
            if let only { return candidate.number == only }
            return prefixes.contains { candidate.file.hasPrefix($0) }
        }
        guard let most, most < all.count else { return all }
        var dice = SplitMix(state: seed)
        return all.shuffled(using: &dice).prefix(most).sorted { $0.number < $1.number }
    }
}

/// Numbers that are the same for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
