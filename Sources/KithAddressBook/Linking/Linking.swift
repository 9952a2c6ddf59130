/// Finds the cards of one person, within a source and across sources.
///
/// Two cards of the same kind are linked if they
///
/// - have the same uid, and share a number or an email;
/// - or have the same uid, and names that agree: ``LinkName``. Some programs give one uid to several people, for
///   example by copying a template. If a card's name agrees with several names that do not agree with each other
///   (because it is missing or partial), the uid links this card with none of them;
/// - or have the same name, and share a number or an email. A name alone is not enough, nor is a number alone: a family
///   shares a landline, a company a switchboard.
///
/// Links are transitive: if the first card is linked with the second, and the second with the third, all three are one
/// contact. The user's decisions take precedence (``LinkDecisions``).
///
/// The result does not depend on the order of the cards.
struct Linking {
    private let cards: [IndexedCard]
    private var sets: DisjointSets
    /// The uids on several cards that identify a person.
    private var uids: Set<Int> = []
    /// The cards that their uid does not link: their names agree with several cards with that uid that are different
    /// people.
    private var ambiguous: Set<Int> = []

    /// A uid on more cards of one source than this does not identify a person.
    static let mostCopies = 10

    /// The cards of each contact, as indexes in `cards`. Each index is in exactly one group.
    static func groups(of cards: [IndexedCard], _ decisions: LinkDecisions) async -> [[Int]] {
        var linking = Linking(cards)
        let likely = linking.likelyNamesakes
        // Numbers are parsed only for likely links, because parsing takes longer than everything else here.
        await IndexedCard.detail(likely.joined().map { cards[$0] })
        linking.uniteTwins()
        for namesakes in likely { linking.unite(namesakes) }
        linking.obey(decisions)
        return linking.sets.groups
    }

    private init(_ cards: [IndexedCard]) {
        self.cards = cards
        sets = DisjointSets(count: cards.count)
    }

    private mutating func uniteTwins() {
        for twins in bundles(by: \.uid) where tellsApart(twins) {
            cards[twins[0]].marks.uid.map { _ = uids.insert($0) }
            noteAmbiguous(twins)
            for (index, one) in twins.enumerated() {
                for other in twins[(index + 1)...] where areTwins(one, other) { sets.unite(one, other) }
            }
        }
    }

    private mutating func noteAmbiguous(_ twins: [Int]) {
        // Usually all of them have the same name.
        if twins.allSatisfy({ cards[$0].marks.hasName(of: cards[twins[0]].marks) }) { return }
        let agree = twins.map { one in twins.map { cards[one].agrees(with: cards[$0]) } }
        func areDifferent(_ one: Int, _ other: Int) -> Bool {
            !agree[one][other] && !cards[twins[one]].sharesReaching(with: cards[twins[other]])
        }
        for place in twins.indices {
            let like = twins.indices.filter { $0 != place && agree[place][$0] }
            for (index, one) in like.enumerated() where like[(index + 1)...].contains(where: { areDifferent(one, $0) })
            {
                ambiguous.insert(twins[place])
                break
            }
        }
    }

    /// Whether two cards with the same uid belong to one person.
    private func areTwins(_ one: Int, _ other: Int) -> Bool {
        let (left, right) = (cards[one], cards[other])
        if left.marks.hasName(of: right.marks) || left.sharesReaching(with: right) { return true }
        return !ambiguous.contains(one) && !ambiguous.contains(other) && left.agrees(with: right)
    }

    private mutating func unite(_ namesakes: [Int]) {
        var owners: [Int: Int] = [:]
        for place in namesakes {
            for mark in cards[place].details.reaching {
                sets.unite(owners[mark, default: place], place)
                owners[mark] = place
            }
        }
    }

    /// The groups of cards with the same name that may share a number or an email, judged by its spelling.
    private var likelyNamesakes: [[Int]] {
        bundles(by: \.name, and: \.spellings).compactMap { namesakes in
            var traced: [(trace: Int, place: Int)] = []
            for place in namesakes {
                guard let traces = cards[place].marks.traces else { return namesakes }
                for trace in traces { traced.append((trace, place)) }
            }
            traced.sort { $0.trace < $1.trace }
            var likely: Set<Int> = []
            for (one, other) in zip(traced, traced.dropFirst()) where one.trace == other.trace {
                likely.formUnion([one.place, other.place])
            }
            return likely.isEmpty ? nil : likely.sorted()
        }
    }

    /// The groups of two or more cards that have a mark in common, as indexes in `cards`.
    private func bundles(by mark: (LinkKeys) -> Int?, and others: (LinkKeys) -> [Int] = { _ in [] }) -> [[Int]] {
        var marked: [(mark: Int, place: Int)] = []
        marked.reserveCapacity(cards.count)
        for (place, card) in cards.enumerated() {
            if let mark = mark(card.marks) { marked.append((mark, place)) }
            for mark in others(card.marks) { marked.append((mark, place)) }
        }
        marked.sort { ($0.mark, $0.place) < ($1.mark, $1.place) }
        var bundles: [[Int]] = []
        var start = 0
        while start < marked.count {
            let end = marked[start...].firstIndex { $0.mark != marked[start].mark } ?? marked.count
            if end - start > 1 { bundles.append(marked[start..<end].map(\.place)) }
            start = end
        }
        return bundles
    }

    private func tellsApart(_ twins: [Int]) -> Bool {
        var copies: [SourceID: Int] = [:]
        for place in twins { copies[cards[place].source, default: 0] += 1 }
        return copies.values.allSatisfy { $0 <= Self.mostCopies }
    }

    /// Whether two cards are linked directly, without the cards between them and without decisions.
    private func areOne(_ one: Int, _ other: Int) -> Bool {
        let (left, right) = (cards[one], cards[other])
        if let uid = left.marks.uid, uid == right.marks.uid, uids.contains(uid), areTwins(one, other) { return true }
        return left.marks.name != nil && left.marks.hasName(of: right.marks) && left.sharesReaching(with: right)
    }

    // MARK: The user's decisions

    private mutating func obey(_ decisions: LinkDecisions) {
        guard !decisions.isEmpty else { return }
        let named = decisions.named
        var places: [Contact.ID: Int] = [:]
        for (place, card) in cards.enumerated() where named.contains(card.id) { places[card.id] = place }
        func ends(_ pair: LinkDecisions.Pair) -> (Int, Int)? {
            guard let first = places[pair.first], let second = places[pair.second] else { return nil }
            return (first, second)
        }
        let together = decisions.together.compactMap(ends)
        let apart = decisions.apart.compactMap(ends)
        for (one, other) in together { sets.unite(one, other) }
        let torn = Set(apart.filter { sets.find($0.0) == sets.find($0.1) }.map { sets.find($0.0) })
        for group in sets.groups where torn.contains(group[0]) { part(group, together, apart) }
    }

    /// Links the cards of one group again, but leaves out links that would join separated cards.
    ///
    /// The user's links come first, the latest of them first. The links that were found follow, in the order of the
    /// cards' ids.
    private mutating func part(_ group: [Int], _ together: [(Int, Int)], _ apart: [(Int, Int)]) {
        let members = Set(group)
        let ordered = group.sorted { cards[$0].id.rawValue < cards[$1].id.rawValue }
        var links = together.filter { members.contains($0.0) }
        for (index, one) in ordered.enumerated() {
            for other in ordered[(index + 1)...] where areOne(one, other) { links.append((one, other)) }
        }
        sets.dissolve(group)
        // For each set, the sets that it must not be merged with. Sets are named by their roots.
        var opposed: [Int: Set<Int>] = [:]
        for (one, other) in apart where members.contains(one) && members.contains(other) {
            opposed[one, default: []].insert(other)
            opposed[other, default: []].insert(one)
        }
        for (one, other) in links {
            let (first, second) = (sets.find(one), sets.find(other))
            guard first != second, opposed[first]?.contains(second) != true else { continue }
            sets.unite(one, other)
            let root = sets.find(one)
            let gone = root == first ? second : first
            for set in opposed.removeValue(forKey: gone) ?? [] {
                opposed[set]?.remove(gone)
                opposed[set]?.insert(root)
                opposed[root, default: []].insert(set)
            }
        }
    }
}

extension IndexedCard {
    /// Whether the names of two cards can belong to one person.
    fileprivate func agrees(with other: IndexedCard) -> Bool {
        if marks.hasName(of: other.marks) { return true }
        guard let name = LinkName(of: card), let otherName = LinkName(of: other.card) else { return true }
        return name.agrees(with: otherName)
    }

    fileprivate func sharesReaching(with other: IndexedCard) -> Bool {
        !Set(details.reaching).isDisjoint(with: other.details.reaching)
    }
}
