#if os(Linux)
    import Foundation
    import Glibc

    /// The one interface of the network that tests/peer/beside made for these tests alone.
    enum Loopback {
        struct Refused: Error { let code: Int32 }

        /// Switches it on or off, as `ip link set lo up` does, which is not where Swift is.
        static func set(up: Bool) throws {
            let (getFlags, setFlags, isUp) = (UInt(0x8913), UInt(0x8914), UInt16(1))
            let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            guard socket >= 0 else { throw Refused(code: errno) }
            defer { close(socket) }
            // struct ifreq: a name of 16 bytes, then the flags.
            var request = [UInt8](repeating: 0, count: 40)
            request.replaceSubrange(0..<2, with: Array("lo".utf8))
            guard ioctl(socket, getFlags, &request) == 0 else { throw Refused(code: errno) }
            var flags = UInt16(request[16]) | UInt16(request[17]) << 8
            flags = up ? flags | isUp : flags & ~isUp
            request.replaceSubrange(16..<18, with: [UInt8(flags & 0xff), UInt8(flags >> 8)])
            guard ioctl(socket, setFlags, &request) == 0 else { throw Refused(code: errno) }
        }
    }
#endif
