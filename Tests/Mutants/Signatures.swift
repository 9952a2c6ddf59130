import SwiftParser
import SwiftSyntax

/// The parameters of every function, initialiser and case of the sources, by name. With them, arguments that cannot
/// change places for their types need not be tried.
final class Signatures: SyntaxVisitor {
    private struct Parameter {
        let label: String
        let type: String
    }

    private var byName: [String: [[Parameter]]] = [:]

    init(of texts: some Sequence<String>) {
        super.init(viewMode: .sourceAccurate)
        for text in texts { walk(Parser.parse(source: text)) }
    }

    /// Whether any declaration that the call may mean has the same type for both arguments. True if none is known.
    func mayExchange(_ call: FunctionCallExprSyntax, _ first: Int, _ second: Int) -> Bool {
        guard let name = call.calledName else { return true }
        let labels = call.arguments.map { $0.label?.text ?? "_" }
        var isKnown = false
        for signature in byName[name] ?? [] {
            guard let places = Self.places(of: labels, in: signature) else { continue }
            if signature[places[first]].type == signature[places[second]].type { return true }
            isKnown = true
        }
        return !isKnown
    }

    /// Which parameter each argument is for. Parameters with a default may be missing.
    private static func places(of labels: [String], in signature: [Parameter]) -> [Int]? {
        var places: [Int] = []
        var next = 0
        for label in labels {
            guard let place = signature.indices.first(where: { $0 >= next && signature[$0].label == label }) else {
                return nil
            }
            places.append(place)
            next = place + 1
        }
        return places
    }

    private func note(_ name: String, _ clause: FunctionParameterClauseSyntax) {
        let parameters = clause.parameters.map {
            Parameter(label: $0.firstName.text, type: $0.type.trimmedDescription)
        }
        byName[name, default: []].append(parameters)
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        note(node.name.text, node.signature.parameterClause)
        return .skipChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        var around = node.parent
        while let current = around {
            if let type = current.asProtocol((any NamedDeclSyntax).self) {
                note(type.name.text, node.signature.parameterClause)
                break
            }
            if let type = current.as(ExtensionDeclSyntax.self) {
                note(type.extendedType.trimmedDescription, node.signature.parameterClause)
                break
            }
            around = current.parent
        }
        note("init", node.signature.parameterClause)
        return .skipChildren
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        var members: [Parameter] = []
        for member in node.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                !variable.modifiers.contains(where: { $0.name.text == "static" })
            else { continue }
            for binding in variable.bindings where binding.accessorBlock == nil {
                let type = binding.typeAnnotation?.type ?? variable.bindings.last?.typeAnnotation?.type
                members.append(
                    Parameter(
                        label: binding.pattern.trimmedDescription,
                        type: type?.trimmedDescription ?? binding.initializer?.value.trimmedDescription ?? ""))
            }
        }
        byName[node.name.text, default: []].append(members)
        return .visitChildren
    }

    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
        let parameters = node.parameterClause?.parameters.map {
            Parameter(label: $0.firstName?.text ?? "_", type: $0.type.trimmedDescription)
        }
        byName[node.name.text, default: []].append(parameters ?? [])
        return .skipChildren
    }
}

extension FunctionCallExprSyntax {
    /// The last name of what is called.
    var calledName: String? {
        if let name = calledExpression.as(DeclReferenceExprSyntax.self) { return name.baseName.text }
        guard let member = calledExpression.as(MemberAccessExprSyntax.self) else { return nil }
        return member.declName.baseName.text
    }
}
