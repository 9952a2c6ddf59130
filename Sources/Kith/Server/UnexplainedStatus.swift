/// A status without a Kith server's problem document, sent by a proxy or a captive portal.
struct UnexplainedStatus: Error {
    let status: Int
}
