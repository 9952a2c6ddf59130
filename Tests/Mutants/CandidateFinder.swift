import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds the mutants of one file, and how each is written behind its switch.
final class CandidateFinder: SyntaxVisitor {
    private(set) var candidates: [Candidate] = []
    private(set) var wraps: [MutatedSource.Wrap] = []

    private let file: String
    private let lines: [Substring]
    private let base: Int
    private let signatures: Signatures
    private let converter: SourceLocationConverter
    /// How many candidates have had the same key so far.
    private var repeated: [String: Int] = [:]
    /// Names of local constants that get their value later: to take that away does not compile.
    private var unset: Set<String> = []

    /// Finds all in `text`, numbered from `base` + 1.
    init(_ text: String, file: String, base: Int, signatures: Signatures) {
        let parsed = Parser.parse(source: text)
        // What cannot be folded stays as it is, and has no mutants.
        let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
        self.file = file
        self.base = base
        self.signatures = signatures
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        self.converter = SourceLocationConverter(fileName: file, tree: folded)
        super.init(viewMode: .sourceAccurate)
        walk(folded)
    }

    // MARK: What has no mutants

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: DeferStmtSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: OperatorDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings where binding.initializer == nil && binding.accessorBlock == nil {
            unset.insert(binding.pattern.trimmedDescription)
        }
        return .visitChildren
    }

    // MARK: Conditions

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition {
            if condition.is(BooleanLiteralExprSyntax.self) { return .skipChildren }  // `while true` may not end.
            negate(condition)
        }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    /// Negates a condition, unless its parts have mutants that do the same or more.
    private func negate(_ condition: ExprSyntax) {
        if let infix = condition.bare.as(InfixOperatorExprSyntax.self),
            ["&&", "||", "==", "!="].contains(infix.sign)
        {
            return
        }
        oppose(condition, change: "\(condition.flat) → not")
    }

    private func oppose(_ condition: ExprSyntax, change: String) {
        add(.negated, at: condition, change, after: "))") { "(Mutant.isOn(\($0)) != (" }
    }

    // MARK: Operators and numbers

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let whole = ExprSyntax(node)
        switch node.sign {
        case "&&", "||":
            for operand in [node.leftOperand, node.rightOperand] { negate(operand) }
        case "==", "!=":
            let other = node.sign == "==" ? "!=" : "=="
            oppose(whole, change: "\(whole.flat) → \(other)")
        case "<", "<=", ">", ">=":
            let other = node.sign.hasSuffix("=") ? String(node.sign.dropLast()) : node.sign + "="
            guard let left = node.leftOperand.copied, let right = node.rightOperand.copied else { break }
            replace(whole, with: "\(left) \(other) \(right)", .shifted, change: "\(whole.flat) → \(other)")
        case "+", "-", "&+", "&-":
            guard node.rightOperand.trimmedDescription == "1", let left = node.leftOperand.copied else { break }
            replace(whole, with: left, .shifted, change: "\(whole.flat) → \(node.leftOperand.flat)")
        default: break
        }
        return .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let number = Int(node.literal.text.filter { $0 != "_" }) else { return .skipChildren }
        if number == 1, let infix = node.parent?.as(InfixOperatorExprSyntax.self),
            infix.rightOperand.id == node.id, ["+", "-", "&+", "&-"].contains(infix.sign)
        {
            return .skipChildren
        }
        replace(
            ExprSyntax(node), with: String(number + 1), .shifted, change: "\(node.literal.text) → \(number + 1)")
        return .skipChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let other = node.literal.text == "true" ? "false" : "true"
        replace(ExprSyntax(node), with: other, .flipped, change: "\(node.literal.text) → \(other)")
        return .skipChildren
    }

    private func replace(_ node: ExprSyntax, with other: String, _ kind: Candidate.Kind, change: String) {
        add(kind, at: node, change, after: "))") { "(Mutant.isOn(\($0)) ? (\(other)) : (" }
    }

    // MARK: Calls

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.isAssertion { return .skipChildren }
        // The smaller of two is the same either way.
        if ["min", "max"].contains(node.calledName) { return .visitChildren }
        let arguments = node.arguments.map(\.expression)
        for index in arguments.indices.dropLast() {
            let (one, other) = (arguments[index], arguments[index + 1])
            guard one.canSwap(with: other), one.flat != other.flat, signatures.mayExchange(node, index, index + 1)
            else { continue }
            guard let first = one.copied, let second = other.copied else { continue }
            let number = number(.swapped, at: one, "\(one.flat), \(other.flat) → swapped")
            wrap(one, number, before: "(Mutant.isOn(\(number)) ? (\(second)) : (", after: "))")
            wrap(other, number, before: "(Mutant.isOn(\(number)) ? (\(first)) : (", after: "))")
        }
        return .visitChildren
    }

    // MARK: Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        switch node.item {
        case .expr(let expression) where isRemovable(expression, in: node): remove(node, expression.flat)
        case .stmt(let statement) where isRemovable(statement, in: node): remove(node, statement.flat)
        default: break
        }
        return .visitChildren
    }

    private func remove(_ node: CodeBlockItemSyntax, _ text: String) {
        add(.removed, at: node, "\(text) → removed", after: " }") { "if !Mutant.isOn(\($0)) { " }
    }

    private func isRemovable(_ expression: ExprSyntax, in item: CodeBlockItemSyntax) -> Bool {
        if let target = expression.assigned {
            // Initialisers must give every property its value; a local constant must get one.
            if expression.bare.as(InfixOperatorExprSyntax.self)?.sign == "=" {
                if item.enclosing(InitializerDeclSyntax.self) != nil || unset.contains(target) { return false }
            }
            return true
        }
        guard let call = expression.bare.as(FunctionCallExprSyntax.self), !call.isAssertion else { return false }
        if item.enclosing(InitializerDeclSyntax.self) != nil, call.calledExpression.flat.hasSuffix(".init") {
            return false
        }
        return !item.isValue
    }

    private func isRemovable(_ statement: StmtSyntax, in item: CodeBlockItemSyntax) -> Bool {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), let block = list.parent else { return false }
        let isLast = list.last?.id == item.id
        // A guard's block must leave; nor may a function end without its value.
        if isLast, block.parent?.is(GuardStmtSyntax.self) == true { return false }
        if let jump = statement.as(ReturnStmtSyntax.self) {
            guard jump.expression.map({ $0.is(NilLiteralExprSyntax.self) }) ?? true else { return false }
            return !isLast || block.parent?.is(IfExprSyntax.self) == true || block.is(SwitchCaseSyntax.self)
        }
        if statement.is(ContinueStmtSyntax.self) { return true }
        // A switch's case that only breaks does nothing anyway.
        return statement.is(BreakStmtSyntax.self) && !block.is(SwitchCaseSyntax.self)
    }

    // MARK: Writing them down

    private func add(
        _ kind: Candidate.Kind, at node: some SyntaxProtocol, _ change: String, after: String, before: (Int) -> String
    ) {
        let number = number(kind, at: node, change)
        wrap(node, number, before: before(number), after: after)
    }

    private func number(_ kind: Candidate.Kind, at node: some SyntaxProtocol, _ change: String) -> Int {
        let line = converter.location(for: node.positionAfterSkippingLeadingTrivia).line
        let text = lines[line - 1].split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let count = repeated["\(text)\t\(change)", default: 0] + 1
        repeated["\(text)\t\(change)"] = count
        let number = base + candidates.count + 1
        candidates.append(
            Candidate(
                number: number, file: file, line: line, text: text, kind: kind,
                change: count == 1 ? change : "\(change) (\(count))"))
        return number
    }

    private func wrap(_ node: some SyntaxProtocol, _ number: Int, before: String, after: String) {
        let range =
            node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
        wraps.append(MutatedSource.Wrap(number: number, range: range, before: before, after: after))
    }
}
