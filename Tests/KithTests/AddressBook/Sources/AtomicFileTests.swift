import Foundation
import Kith
import KithAddressBook
import KithCards
import KithModel
import Testing

/// What takes a file's place is read by whoever could read the file.
@Suite("Creating a file safely") struct AtomicFileTests {
    private let folder = TemporaryFolder()

    /// A file of another owner and group.
    private func file(mode: mode_t) -> FileIdentity {
        var status = stat()
        status.st_mode = S_IFREG | mode
        (status.st_uid, status.st_gid) = (4_711, 4_712)
        return FileIdentity(FileStatus(status))
    }

    private var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) } }

    @Test("Trap: the owner cannot be set – the group still is") func groupAlone() throws {
        var given: [gid_t] = []
        let new = try AtomicFile(in: folder.url.path)
        try new.resemble(file(mode: 0o640)) { _, owner, group in
            if owner != .max { return -1 }
            given.append(group)
            return 0
        }
        #expect(given == [4_712])
        try new.replace("a.vcf")
        let mode =
            try FileManager.default.attributesOfItem(atPath: folder.url.path + "/a.vcf")[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test(
        "If the group would lose access, or others would gain it, nothing is written",
        arguments: [0o640, 0o660, 0o604])
    func lockedOut(mode: mode_t) throws {
        let (folder, file) = (folder.url.path, file(mode: mode))
        let error = #expect(throws: KithError.self) {
            let new = try AtomicFile(in: folder)
            try new.resemble(file) { _, _, _ in -1 }
        }
        #expect(error?.code == .forbidden && error?.sentence.contains("chgrp") == true)
        #expect(try files == [])
    }

    @Test("A group with the same rights as everyone is no obstacle", arguments: [0o600, 0o644, 0o666])
    func harmless(mode: mode_t) throws {
        let new = try AtomicFile(in: folder.url.path)
        try new.resemble(file(mode: mode)) { _, _, _ in -1 }
    }

    @Test("Trap: a program was killed while it added cards – its temporary file is deleted once it cannot be in use")
    func abandoned() async throws {
        for kind in ["file", "folder"] {
            let place = folder.url.appending(path: kind)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data(card("Ada", uid: "a")).write(to: place.appending(path: "all.vcf"))
            for name in [".kith-1.tmp", ".other.tmp", ".kith-notes"] {
                try Data().write(to: place.appending(path: name))
            }
            func add(_ uid: String, at now: Date) async throws {
                let source: any AddressBookSource =
                    kind == "file"
                    ? VCardFileSource(place.appending(path: "all.vcf"), now: { now })
                    : VCardFolderSource(place, now: { now })
                _ = try await source.add([VCard(card("P", uid: uid))])
            }
            try await add("1", at: Date() + AtomicFile.abandonedAge / 2)
            var hidden: Set<String> {
                get throws {
                    Set(try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.hasPrefix(".") })
                }
            }
            #expect(try hidden == [".kith-1.tmp", ".other.tmp", ".kith-notes"])
            try await add("2", at: Date() + AtomicFile.abandonedAge * 2)
            #expect(try hidden == [".other.tmp", ".kith-notes"])
        }
    }

    // MARK: Private files

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.url.path + "/" + name)[.posixPermissions] as? Int
    }

    @Test("A new private file can be read only by its owner; an existing one keeps its mode, and a link stays")
    func privately() throws {
        let path = folder.url.path
        try PrivateFile(path + "/new.vcf").write(Data("new".utf8))
        #expect(try mode("new.vcf") == 0o600)
        try Data("old".utf8).write(to: folder.url.appending(path: "old.vcf"))
        #expect(chmod(path + "/old.vcf", 0o644) == 0)
        try FileManager.default.createSymbolicLink(atPath: path + "/link.vcf", withDestinationPath: "old.vcf")
        try PrivateFile(path + "/link.vcf").write(Data("new".utf8))
        #expect(try mode("old.vcf") == 0o644)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path + "/link.vcf") == "old.vcf")
        #expect(try Data(contentsOf: folder.url.appending(path: "old.vcf")) == Data("new".utf8))
        try PrivateFile("/dev/null").write(Data("new".utf8))
        #expect(try Set(files) == ["new.vcf", "old.vcf", "link.vcf"])
    }
}
