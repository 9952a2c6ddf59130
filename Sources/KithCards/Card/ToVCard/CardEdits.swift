/// What to change in the properties of a vCard so that it says another card: a plan, and its performance.
///
/// Indices are those of the vCard as it is before the first edit.
struct CardEdits {
    private var changes: [Int: VCard.Change] = [:]
    private var removals: Set<Int> = []
    private var additions: [Int: [VCard.NewProperty]] = [:]

    mutating func set(_ value: VCard.Value?, _ parameters: VCard.Parameters, at index: Int) {
        if let value { changes[index, default: VCard.Change()].value = value }
        changes[index, default: VCard.Change()].parameters = parameters
    }

    mutating func regroup(_ group: String?, at index: Int) {
        changes[index, default: VCard.Change()].group = group ?? ""
    }

    /// Takes a property out, whatever else was to become of it.
    mutating func remove(at index: Int) { removals.insert(index) }

    /// Whether the property at `index` is to be taken out.
    func removes(_ index: Int) -> Bool { removals.contains(index) }

    /// Puts a property before the one at `index`, behind what was put there before.
    mutating func insert(_ draft: PropertyDraft, group: String?, before index: Int) {
        // What stands only in another vCard cannot be written into this one.
        guard case .of(let value) = draft.value else { return }
        insert(VCard.NewProperty(draft.name.asWritten, value, draft.parameters, group: group), before: index)
    }

    /// Puts a property before the one at `index`, behind what was put there before.
    mutating func insert(_ property: VCard.NewProperty, before index: Int) {
        additions[index, default: []].append(property)
    }

    /// Performs the edits, all at once.
    func perform(on vCard: inout VCard) { vCard.edit(patches(of:)) }

    private func patches(of vCard: VCard) -> [VCard.Patch] {
        var patches: [VCard.Patch] = []
        for index in removals.union(changes.keys).union(additions.keys).sorted() {
            patches += (additions[index] ?? []).map { vCard.patch(adding: $0, before: index) }
            if removals.contains(index) {
                patches.append(vCard.patch(removing: index))
            } else if let change = changes[index] {
                patches.append(vCard.patch(changing: index, change))
            }
        }
        return patches
    }
}

extension VCard.PropertyName {
    /// The name as programs write it: capitals, but for some of Apple's.
    fileprivate var asWritten: String {
        switch self {
        case .xABLabel: "X-ABLabel"
        case .xABShowAs: "X-ABShowAs"
        default: rawValue
        }
    }
}
