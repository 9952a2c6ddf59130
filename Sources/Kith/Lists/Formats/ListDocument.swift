/// The content of a list file: a name, a kind and a theme, items in their order, and the faults.
public struct ListDocument: Hashable, Sendable {
    /// A line of a file that could not be read, or not completely, and the reason.
    public struct Fault: Hashable, Sendable {
        /// The line's number in the file, from 1. For an entry of several lines it is the first one.
        public var line: Int
        /// The line, shortened to ``ListFormat/shownCharacters``.
        public var text: String
        /// The reason, as a sentence.
        public var reason: String

        /// Creates a fault for a line of a file.
        public init(line: Int, text: String, reason: String) {
            self.line = line
            self.text = text
            self.reason = reason
        }
    }

    /// The list's name: 1 to 200 characters, or nil if the file has none.
    public var name: String?
    /// The list's kind, such as `shopping` or `wish`; nil if the file has none. Only JSON has it.
    public var kind: String?
    /// The list's theme; nil if the file has none. Only JSON has it.
    public var theme: String?
    /// The items in the list's order.
    public var items: [ItemDraft]
    /// The lines that could not be read, or not completely, in the file's order. Not written to files.
    public var faults: [Fault]
    /// The names of content that an item has no field for: columns of a table, keys of JSON, properties and parts of
    /// calendars. iCalendar properties that serve only one program (`X-…`) or only the exchange itself are left out.
    /// Not written to files.
    public var unreadColumns: [String] = []
    /// The number of entries that could not be read, including those beyond ``ListFormat/faultLimit``.
    public var faultCount: Int { faults.count + moreFaults }
    /// The number of faults that are not in ``faults``. The last fault in ``faults`` states this number.
    public var moreFaults = 0

    /// Creates a document from these parts. Nothing is checked.
    public init(
        name: String? = nil, kind: String? = nil, theme: String? = nil, items: [ItemDraft] = [], faults: [Fault] = []
    ) {
        self.name = name
        self.kind = kind
        self.theme = theme
        self.items = items
        self.faults = faults
    }
}
