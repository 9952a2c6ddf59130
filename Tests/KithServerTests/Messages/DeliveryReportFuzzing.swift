import Foundation

#if canImport(KithServer)
    import KithServer
#endif

/// The laws of the reader of reports about undelivered emails, for any bytes. `Scripts/fuzz` looks for bytes that break
/// one.
enum DeliveryReportFuzzing {
    /// The law that the bytes break; nil if they break none.
    static func broken(by bytes: [UInt8]) -> String? {
        let report = DeliveryReport(Data(bytes))
        if DeliveryReport((Data([7]) + bytes).dropFirst()) != report {
            return "A report is another one where it stands behind other bytes."
        }
        guard let report else { return nil }
        if let failure = report.failure {
            // The action “failed” is final, also with a status 4.x.x.
            if !failure.status.hasPrefix("4."), !failure.status.hasPrefix("5.") {
                return "A failure has a status that begins with 4 or 5."
            }
            if failure.diagnostic.isEmpty { return "A failure has words." }
            if failure.diagnostic.utf8.contains(0x0A) { return "The words are one line." }
        }
        if !bytes.contains(0x0D), bytes.count * 2 <= DeliveryReport.size {
            let returns = bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
            if DeliveryReport(Data(returns)) != report { return "Line ends of both kinds are the same." }
        }
        return nil
    }
}
