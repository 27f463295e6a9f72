internal import ExoMobileCore
internal import ExoMobileFFI
import Foundation

/// A range of device memory. It is freed by ``free()``, by ``Gpu/close()``, or when the last reference is gone. Until
/// then it holds its GPU.
///
/// Bytes are copied once, between the memory of the app and that of the device.
public final class GpuBuffer: Sendable {
    private let core: ExoMobileCore.GpuBuffer
    /// Swift lets go of a GPU after its last use, which may be the allocation.
    private let gpu: Gpu

    init(_ core: ExoMobileCore.GpuBuffer, of gpu: Gpu) {
        self.core = core
        self.gpu = gpu
    }

    /// How many bytes it has.
    public var size: Int {
        get throws(ExoError) { Int(try calling { try core.size() }) }
    }

    // MARK: Writing

    /// Writes these bytes from byte `offset` on.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) throws(ExoError) {
        let (handle, offset) = (try handle, try unsigned(offset, "the offset"))
        try told { why, room in
            // The bytes are the caller's for the time of the call; the core only reads them.
            exo_buffer_write(
                handle, offset, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count), why, room)
        }
    }

    /// Writes these bytes from byte `offset` on.
    public func write(_ data: Data, at offset: Int = 0) throws(ExoError) {
        try calling { try data.withUnsafeBytes { try write($0, at: offset) } }
    }

    /// Writes these numbers from byte `offset` on.
    public func write<Number: Numeric & BitwiseCopyable>(_ numbers: [Number], at offset: Int = 0) throws(ExoError) {
        try calling { try numbers.withUnsafeBytes { try write($0, at: offset) } }
    }

    // MARK: Reading

    /// Fills `bytes`, which must be initialised, with what lies from byte `offset` on.
    public func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int = 0) throws(ExoError) {
        let (handle, offset) = (try handle, try unsigned(offset, "the offset"))
        try told { why, room in
            // The bytes are the caller's alone for the time of the call.
            exo_buffer_read(
                handle, offset, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count), why, room)
        }
    }

    /// So many bytes from byte `offset` on.
    public func readData(count: Int, at offset: Int = 0) throws(ExoError) -> Data {
        try check(count: count, of: 1, at: offset)
        var data = Data(count: count)
        try calling { try data.withUnsafeMutableBytes { try read(into: $0, at: offset) } }
        return data
    }

    /// So many numbers from byte `offset` on: `try buffer.read(Float.self, count: 1024)`.
    public func read<Number: Numeric & BitwiseCopyable>(
        _: Number.Type, count: Int, at offset: Int = 0
    ) throws(ExoError) -> [Number] {
        try check(count: count, of: MemoryLayout<Number>.stride, at: offset)
        var numbers = [Number](repeating: .zero, count: count)
        try calling { try numbers.withUnsafeMutableBytes { try read(into: $0, at: offset) } }
        return numbers
    }

    // MARK: The rest

    /// Copies all of it to the beginning of another buffer, also one of another device.
    public func copy(to other: GpuBuffer) throws(ExoError) {
        try calling { try core.copyTo(other: other.core) }
    }

    /// Gives the memory back; a second time does nothing.
    public func free() {
        try? core.free()
    }

    private var handle: UInt64 {
        get throws(ExoError) { try calling { try core.bytesHandle() } }
    }

    /// What is too much is refused before the app's memory is taken for it.
    private func check(count: Int, of stride: Int, at offset: Int) throws(ExoError) {
        let size = try size
        let (bytes, isTooMany) = count.multipliedReportingOverflow(by: stride)
        let (end, isTooFar) = bytes.addingReportingOverflow(offset)
        guard count >= 0, offset >= 0, !isTooMany, !isTooFar, end <= size else {
            throw ExoError(
                .invalidArgument,
                "\(count) times \(stride) bytes from \(offset) on were asked of a buffer of \(size) bytes; "
                    + "stay within 0..<\(size)")
        }
    }
}
