// What sample-ios uses of CoreGraphics: signatures only.
public final class CGImage: @unchecked Sendable {}
