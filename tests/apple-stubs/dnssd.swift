// What swift/Sources/ExoMobile/Apple uses of dns_sd.h: signatures only.
import Dispatch

public typealias DNSServiceRef = OpaquePointer
public typealias DNSServiceFlags = UInt32
public typealias DNSServiceErrorType = Int32
public typealias DNSServiceRegisterReply =
    @convention(c) (
        DNSServiceRef?, DNSServiceFlags, DNSServiceErrorType, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
        UnsafePointer<CChar>?, UnsafeMutableRawPointer?
    ) -> Void

public var kDNSServiceErr_NoError: Int { fatalError() }

public func DNSServiceRegister(
    _ ref: UnsafeMutablePointer<DNSServiceRef?>?, _ flags: DNSServiceFlags, _ interface: UInt32,
    _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?,
    _ host: UnsafePointer<CChar>?, _ port: UInt16, _ txtLength: UInt16, _ txt: UnsafeRawPointer?,
    _ reply: DNSServiceRegisterReply?, _ context: UnsafeMutableRawPointer?
) -> DNSServiceErrorType { fatalError() }

@discardableResult
public func DNSServiceSetDispatchQueue(_ ref: DNSServiceRef?, _ queue: DispatchQueue?) -> DNSServiceErrorType {
    fatalError()
}
public func DNSServiceRefDeallocate(_ ref: DNSServiceRef?) {}
