// What sample-ios uses of CoreImage: signatures only.
@_exported import CoreGraphics
import Foundation

public final class CIImage { public var extent: CGRect { fatalError() } }

public final class CIFilter {
    public init?(name: String, parameters: [String: Any]?) {}
    public var outputImage: CIImage? { fatalError() }
}

public final class CIContext {
    public init() {}
    public func createCGImage(_ image: CIImage, from: CGRect) -> CGImage? { fatalError() }
}
