import Foundation

/// Writes a ZIP archive (APPNOTE.TXT 6.3.10) to a file, one entry after another.
///
/// Entries are stored without compression: every system opens such an archive, writing it needs no library, and only the
/// current entry is in memory. The format is not ZIP64, so an archive has at most 65,535 entries and 4 GiB.
struct ZipArchive {
    /// One entry in the central directory at the end.
    private struct Entry {
        let name: [UInt8]
        let crc: UInt32
        let size: UInt32
        let offset: UInt32
    }

    /// The bytes that are reserved for the central directory.
    private static let directoryReserve = 64 << 20

    private let file: FileHandle
    private var entries: [Entry] = []
    private var offset = 0
    /// The time of all entries, in the form of MS-DOS.
    private let time: (date: UInt16, time: UInt16)

    /// An archive that is written to `file` from its current position. All entries have the time `date`, in UTC.
    init(to file: FileHandle, at date: Date) {
        self.file = file
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let year = min(max((parts.year ?? 1980) - 1980, 0), 127)
        time = (
            UInt16(year << 9 | (parts.month ?? 1) << 5 | (parts.day ?? 1)),
            UInt16((parts.hour ?? 0) << 11 | (parts.minute ?? 0) << 5 | (parts.second ?? 0) / 2)
        )
    }

    /// Adds an entry. Its name is a path with slashes.
    ///
    /// - Throws: ``KithError`` with `tooMany` if the archive is full; an error of Foundation if the file cannot be written.
    mutating func add(_ name: String, _ data: Data) throws {
        let bytes = Array(name.utf8)
        // The sizes of the two headers are less than 100 bytes. The central directory needs the reserved space.
        guard
            entries.count < 0xFFFF, offset + data.count + 2 * bytes.count + 100 < 0xFFFF_FFFF - Self.directoryReserve
        else {
            throw KithError(.tooMany, "The archive has more than 4 GiB, or more than 65,535 files.")
        }
        let entry = Entry(
            name: bytes, crc: CRC32.sum(of: data), size: UInt32(data.count), offset: UInt32(offset))
        var header = Data()
        header.append(number: 0x0403_4B50 as UInt32)
        header.append(contentsOf: fields(of: entry))
        header.append(contentsOf: entry.name)
        try file.write(contentsOf: header)
        try file.write(contentsOf: data)
        offset += header.count + data.count
        entries.append(entry)
    }

    /// Writes the central directory.
    mutating func finish() throws {
        var directory = Data()
        for entry in entries {
            directory.append(number: 0x0201_4B50 as UInt32)
            // Made by version 2.0 on Unix, so that readers use the mode below.
            directory.append(number: 0x0314 as UInt16)
            directory.append(contentsOf: fields(of: entry))
            // The length of the comment, the number of the disk, and the internal attributes.
            directory.append(number: 0 as UInt16)
            directory.append(number: 0 as UInt16)
            directory.append(number: 0 as UInt16)
            // The mode: a regular file that only its owner reads and writes.
            directory.append(number: 0o100_600 << 16 as UInt32)
            directory.append(number: entry.offset)
            directory.append(contentsOf: entry.name)
        }
        let size = directory.count
        directory.append(number: 0x0605_4B50 as UInt32)
        // The number of this disk, and of the disk with the directory.
        directory.append(number: 0 as UInt16)
        directory.append(number: 0 as UInt16)
        // The number of entries on this disk, and of all entries.
        directory.append(number: UInt16(entries.count))
        directory.append(number: UInt16(entries.count))
        directory.append(number: UInt32(size))
        directory.append(number: UInt32(offset))
        // The length of the comment.
        directory.append(number: 0 as UInt16)
        try file.write(contentsOf: directory)
    }

    /// The fields that the local header and the central directory share.
    private func fields(of entry: Entry) -> Data {
        var fields = Data()
        // Readers need version 2.0.
        fields.append(number: 20 as UInt16)
        // The name is in UTF-8.
        fields.append(number: 0x0800 as UInt16)
        // The compression method: none.
        fields.append(number: 0 as UInt16)
        fields.append(number: time.time)
        fields.append(number: time.date)
        fields.append(number: entry.crc)
        // The compressed and the uncompressed size.
        fields.append(number: entry.size)
        fields.append(number: entry.size)
        // The lengths of the name and of the extra field.
        fields.append(number: UInt16(entry.name.count))
        fields.append(number: 0 as UInt16)
        return fields
    }
}

extension Data {
    /// Appends a number with the lowest byte first.
    fileprivate mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
