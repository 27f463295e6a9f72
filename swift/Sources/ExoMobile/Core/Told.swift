/// Runs a function for bulk bytes and throws what it told. What is not above zero is no error, and the caller knows what it
/// means.
@discardableResult
func told(
    _ function: (_ why: UnsafeMutablePointer<UInt8>?, _ room: UInt64) -> Int32
) throws(ExoError) -> Int32 {
    let room = 512
    let (told, words) = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { why in
        why.initialize(repeating: 0)
        let told = function(why.baseAddress, UInt64(room))
        return (told, told > 0 ? String(decoding: why.prefix { $0 != 0 }, as: UTF8.self) : "")
    }
    if told > 0 { throw ExoError(ExoError.Kind(number: told), words) }
    return told
}
