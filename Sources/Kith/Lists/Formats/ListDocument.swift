/// A list as a file holds it: a name, items in their order, and what could not be read.
public struct ListDocument: Hashable, Sendable {
    /// A line of a file that could not be read, and why.
    public struct Fault: Hashable, Sendable {
        /// The line's number in the file, from 1. An entry of several lines goes by its first.
        public var line: Int
        /// The line, shortened to ``ListFormat/shownCharacters``.
        public var text: String
        /// What is wrong with it, as a sentence.
        public var reason: String

        /// A fault at this line of a file.
        public init(line: Int, text: String, reason: String) {
            self.line = line
            self.text = text
            self.reason = reason
        }
    }

    /// What the list is called: 1 to 200 characters, or nil if the file does not say.
    public var name: String?
    /// The items in the list's order.
    public var items: [ItemDraft]
    /// The lines that could not be read, in the file's order. Empty when all is well; never written.
    public var faults: [Fault]
    /// What the file has that an item has no place for, by name: columns of a table, keys of JSON, properties and parts of
    /// calendars. Those of iCalendar that only serve one program (`X-…`) or the exchange itself are not named. Never written.
    public var unreadColumns: [String] = []
    /// How many entries could not be read, also those that are beyond ``ListFormat/faultLimit``.
    public var faultCount: Int { faults.count + moreFaults }
    /// How many faults are not told one by one, beside the last of ``faults``, which says so.
    public var moreFaults = 0

    /// A document of these parts. Nothing is checked.
    public init(name: String? = nil, items: [ItemDraft] = [], faults: [Fault] = []) {
        self.name = name
        self.items = items
        self.faults = faults
    }
}
