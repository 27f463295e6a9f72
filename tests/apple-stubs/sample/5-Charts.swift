// What sample-ios uses of Charts: signatures only.
import SwiftUI

public protocol ChartContent {}
extension ChartContent {
    public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some ChartContent { self }
    public func lineStyle(_ style: StrokeStyle) -> some ChartContent { self }
}

public struct TupleContent<Content>: ChartContent {}
@resultBuilder public enum ChartContentBuilder {
    public static func buildBlock<Content: ChartContent>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: ChartContent>(
        _ content: repeat each Content
    ) -> TupleContent<(repeat each Content)> { fatalError() }
}

public protocol Plottable {}
extension Double: Plottable {}
extension String: Plottable {}
public struct PlottableValue<Value: Plottable> {
    public static func value<Words: StringProtocol>(_ label: Words, _ value: Value) -> PlottableValue<Value> { fatalError() }
}

public struct LineMark: ChartContent {
    public init<X: Plottable, Y: Plottable, S: Plottable>(
        x: PlottableValue<X>, y: PlottableValue<Y>, series: PlottableValue<S>
    ) {}
}
public struct AreaMark: ChartContent {
    public init<X: Plottable, Y: Plottable>(x: PlottableValue<X>, yStart: PlottableValue<Y>, yEnd: PlottableValue<Y>) {}
}
public struct RuleMark: ChartContent { public init<X: Plottable>(x: PlottableValue<X>) {} }

extension ForEach: ChartContent where Content: ChartContent {
    public init(_ data: Data, @ChartContentBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable, ID == Data.Element.ID { fatalError() }
}

public struct Chart<Content: ChartContent>: View {
    public init(@ChartContentBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

public struct AxisValue { public func `as`<Value: Plottable>(_ type: Value.Type) -> Value? { fatalError() } }
public protocol AxisMark {}
public struct AxisGridLine: AxisMark { public init() {} }
public struct AxisValueLabel<Content: View>: AxisMark { public init(@ViewBuilder content: () -> Content) {} }
public struct AxisMarkPair<First: AxisMark, Second: AxisMark>: AxisMark {}
@resultBuilder public enum AxisMarkBuilder {
    public static func buildBlock<First: AxisMark, Second: AxisMark>(
        _ first: First, _ second: Second
    ) -> AxisMarkPair<First, Second> { fatalError() }
}
public struct AxisMarks<Content: AxisMark> { public init(@AxisMarkBuilder content: @escaping (AxisValue) -> Content) {} }

extension View {
    public func chartYScale(domain: ClosedRange<Double>) -> some View { self }
    public func chartYAxis<Content: AxisMark>(content: () -> AxisMarks<Content>) -> some View { self }
}
