/// What to change in the properties of a vCard so that it says another card: a plan, and its performance.
///
/// Indices are those of the vCard as it is before the first edit.
struct CardEdits {
    /// One change of a property that is there.
    private enum Edit {
        case set(VCard.Value?, VCard.Parameters)
        case regroup(String?)
        case remove
    }

    /// A property to be.
    private struct Insertion {
        let name: VCard.Name
        let value: VCard.Value
        let parameters: VCard.Parameters
        let group: String?
    }

    private var edits: [Int: [Edit]] = [:]
    private var insertions: [Int: [Insertion]] = [:]

    var isEmpty: Bool { edits.isEmpty && insertions.isEmpty }

    mutating func set(_ value: VCard.Value?, _ parameters: VCard.Parameters, at index: Int) {
        change(index, .set(value, parameters))
    }

    mutating func regroup(_ group: String?, at index: Int) { change(index, .regroup(group)) }

    private mutating func change(_ index: Int, _ edit: Edit) {
        if !removes(index) { edits[index, default: []].append(edit) }
    }

    mutating func remove(at index: Int) { edits[index] = [.remove] }

    /// Whether the property at `index` is to be taken out.
    func removes(_ index: Int) -> Bool { if case .remove? = edits[index]?.last { true } else { false } }

    /// Puts a property before the one at `index`, behind what was put there before.
    mutating func insert(_ draft: PropertyDraft, group: String?, before index: Int) {
        // What stands only in another vCard cannot be written into this one.
        guard case .of(let value) = draft.value else { return }
        let insertion = Insertion(name: draft.name, value: value, parameters: draft.parameters, group: group)
        insertions[index, default: []].append(insertion)
    }

    /// Performs the edits from the last property to the first, so that no index moves before its turn.
    func perform(on vCard: inout VCard) {
        for index in Set(edits.keys).union(insertions.keys).sorted(by: >) {
            for edit in edits[index] ?? [] {
                switch edit {
                case .set(let value?, let parameters): vCard.setValue(value, parameters: parameters, at: index)
                case .set(nil, let parameters): vCard.setParameters(parameters, at: index)
                case .regroup(let group): vCard.setGroup(group, at: index)
                case .remove: vCard.remove(at: index)
                }
            }
            for new in (insertions[index] ?? []).reversed() {
                vCard.insert(new.name.asWritten, new.value, parameters: new.parameters, group: new.group, at: index)
            }
        }
    }
}

extension VCard.Name {
    /// The name as programs write it: capitals, but for some of Apple's.
    fileprivate var asWritten: String {
        switch self {
        case .xABLabel: "X-ABLabel"
        case .xABShowAs: "X-ABShowAs"
        default: rawValue
        }
    }
}
