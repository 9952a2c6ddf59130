/// The encoding in which a list file is read.
public enum ListEncoding: String, CaseIterable, Sendable {
    /// UTF-8 with or without a byte order mark, or UTF-16 with one.
    case unicode = "utf-8"
    /// Windows-1252, which older spreadsheets write in Western Europe and America. Latin-1 is almost the same.
    case windows1252 = "windows-1252"
}
