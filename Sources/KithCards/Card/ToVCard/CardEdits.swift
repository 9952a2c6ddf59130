/// The planned edits of a vCard's properties, which are performed together.
///
/// Indices refer to the vCard before the edits.
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

    /// Removes a property. This overrides other changes to it.
    mutating func remove(at index: Int) { removals.insert(index) }

    /// Whether the property at `index` is removed.
    func removes(_ index: Int) -> Bool { removals.contains(index) }

    /// Inserts a property before the one at `index`, after earlier insertions there.
    mutating func insert(_ draft: PropertyDraft, group: String?, before index: Int) {
        // Data that is embedded only in another vCard cannot be written to this one.
        guard case .of(let value) = draft.value else { return }
        insert(VCard.NewProperty(draft.name.asWritten, value, draft.parameters, group: group), before: index)
    }

    /// Inserts a property before the one at `index`, after earlier insertions there.
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
    /// The name as programs write it: in capitals, except for some of Apple's names.
    fileprivate var asWritten: String {
        switch self {
        case .xABLabel: "X-ABLabel"
        case .xABShowAs: "X-ABShowAs"
        default: rawValue
        }
    }
}
