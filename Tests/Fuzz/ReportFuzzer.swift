/// What libFuzzer calls with the bytes that it makes up; a law that they break ends the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let law = DeliveryReportFuzzing.broken(by: Array(UnsafeBufferPointer(start: start, count: count))) {
        fatalError(law)
    }
    return 0
}
