/// How a statement receives the rows of a row set.
public enum RowSetForm: Hashable, Sendable {
    /// As a list of rows, with a parameter for each value and at most this many parameters. Each number of rows has its
    /// own text.
    case values(parameters: Int)
    /// As an array for each column, of at most this many rows. The text is the same for any number of rows, except for
    /// one row, which is written as a list.
    case arrays(rows: Int)

    /// The most rows with `width` columns of a statement that has `others` more parameters.
    func rows(width: Int, others: Int) -> Int {
        switch self {
        case .values(let parameters): (parameters - others) / width
        case .arrays(let rows): rows
        }
    }
}
