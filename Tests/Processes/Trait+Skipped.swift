package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips the test or the suite if something that it needs is missing.
    ///
    /// - Parameters:
    ///   - missing: What is missing, which is reported as the reason; nil if nothing is.
    ///   - sourceLocation: Where the trait is.
    /// - Returns: The trait.
    package static func skipped(if missing: String?, sourceLocation: SourceLocation = #_sourceLocation) -> Self {
        .enabled(if: missing == nil, missing.map { Comment(rawValue: $0) }, sourceLocation: sourceLocation)
    }
}
