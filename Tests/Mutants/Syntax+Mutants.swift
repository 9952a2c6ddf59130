import SwiftSyntax

extension SyntaxProtocol {
    /// The text on one line, with single spaces, and not too long to read.
    var flat: String {
        let text = trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.count > 90 ? text.prefix(60) + " … " + text.suffix(25) : text
    }

    /// The nearest declaration of this kind around, within the same function.
    func enclosing<Declaration: SyntaxProtocol>(_ kind: Declaration.Type) -> Declaration? {
        var node = parent
        while let current = node {
            if let found = current.as(kind) { return found }
            if current.is(FunctionDeclSyntax.self) || current.is(ClosureExprSyntax.self) { return nil }
            node = current.parent
        }
        return nil
    }
}

extension ExprSyntax {
    /// The expression within parentheses, `try` and `await`.
    var bare: ExprSyntax {
        if let attempt = self.as(TryExprSyntax.self) { return attempt.expression.bare }
        if let wait = self.as(AwaitExprSyntax.self) { return wait.expression.bare }
        if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
            return only.expression.bare
        }
        return self
    }

    /// The text on one line to write a second time; nil if it does not fit there.
    var copied: String? {
        let text = trimmedDescription
        if text.contains("//") || text.contains("/*") || text.contains("\"\"\"") { return nil }
        if text.contains("\n") && text.contains("{") { return nil }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// What the expression assigns to, if it is an assignment.
    var assigned: String? {
        guard let infix = bare.as(InfixOperatorExprSyntax.self), infix.sign.hasSuffix("="),
            !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(infix.sign)
        else { return nil }
        return infix.leftOperand.trimmedDescription
    }

    /// Whether the two may have the same type, as far as their form tells.
    func canSwap(with other: ExprSyntax) -> Bool {
        bare.form == other.bare.form && bare.form != .other
    }

    private enum Form { case named, number, text, truth, shorthand, other }

    private var form: Form {
        if self.is(IntegerLiteralExprSyntax.self) { return .number }
        if self.is(StringLiteralExprSyntax.self) { return .text }
        if self.is(BooleanLiteralExprSyntax.self) { return .truth }
        if let member = self.as(MemberAccessExprSyntax.self) { return member.base == nil ? .shorthand : .named }
        if self.is(DeclReferenceExprSyntax.self) { return .named }
        if let call = self.as(FunctionCallExprSyntax.self) { return call.calledExpression.form }
        if self.is(InfixOperatorExprSyntax.self) || self.is(SubscriptCallExprSyntax.self) { return .named }
        return .other
    }
}

extension InfixOperatorExprSyntax {
    /// The operator as it is written.
    var sign: String { self.operator.trimmedDescription }
}

extension FunctionCallExprSyntax {
    /// Whether it only states what always holds.
    var isAssertion: Bool {
        ["precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError", "exit", "abort"]
            .contains(calledExpression.trimmedDescription)
    }
}

extension CodeBlockItemSyntax {
    /// Whether its value is that of the function, the closure, or the `if` or `switch` around it.
    var isValue: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let block = list.parent else {
            return false
        }
        if block.is(ClosureExprSyntax.self) { return true }
        if block.is(AccessorBlockSyntax.self) { return true }
        if let branch = block.as(SwitchCaseSyntax.self) {
            return branch.parent?.parent.map(Self.isValue) ?? false
        }
        guard let owner = block.parent else { return false }
        if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        if let accessor = owner.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text == "get" }
        return owner.is(IfExprSyntax.self) && Self.isValue(owner)
    }

    /// Whether an `if` or a `switch` is read as a value.
    private static func isValue(_ branching: Syntax) -> Bool {
        guard let parent = branching.parent else { return false }
        if parent.is(IfExprSyntax.self) { return isValue(parent) }  // After `else`.
        guard let statement = parent.as(ExpressionStmtSyntax.self) else { return true }
        return statement.parent?.as(CodeBlockItemSyntax.self)?.isValue ?? false
    }
}
