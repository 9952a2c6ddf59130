import ArgumentParser

/// The server's files, as `kith serve` names them.
struct ServerFiles: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server's database: a file, or postgres://… (kith-server.sqlite). [KITH_SERVE_DATABASE]",
            valueName: "file"),
        completion: .file())
    var database: String?
    @Option(
        help: ArgumentHelp(
            "The file of the secret keys of discovery. [KITH_SERVE_DISCOVERY_KEY_FILE]", valueName: "file"),
        completion: .file())
    var discoveryKeyFile: String?
    @Flag(help: "Answer in JSON.") var json = false
}
