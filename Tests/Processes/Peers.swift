package import Foundation

/// The Python programs that Kith is tested with. `Scripts/peers` installs them in `.build/peers`.
package enum Peers {
    private static let project = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// The Python interpreter that finds the installed packages.
    package static let python = project.appending(path: ".build/peers/bin/python")

    /// The path of a script in `Tests/Peers`.
    package static func script(_ name: String) -> String {
        project.appending(path: "Tests/Peers/\(name)").path(percentEncoded: false)
    }

    /// Why a test that needs these Python packages and programs cannot run, as a sentence; nil if it can.
    ///
    /// - Parameters:
    ///   - packages: The names of the packages' folders.
    ///   - programs: The paths of the programs, and the Debian packages that contain them.
    /// - Returns: What is not installed, and how to install it.
    package static func missing(_ packages: String..., programs: KeyValuePairs<String, String> = [:]) -> String? {
        for (program, package) in programs where !FileManager.default.isExecutableFile(atPath: program) {
            return "\(program) is not installed: apt-get install \(package)"
        }
        let library = project.appending(path: ".build/peers/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library.path(percentEncoded: false))) ?? []
        for package in packages {
            let isHere = versions.contains {
                let folder = library.appending(path: "\($0)/site-packages/\(package)")
                return FileManager.default.fileExists(atPath: folder.path(percentEncoded: false))
            }
            if !isHere { return "\(package) is not installed: Scripts/peers" }
        }
        return nil
    }
}
