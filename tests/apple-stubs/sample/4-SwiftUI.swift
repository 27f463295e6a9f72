// What sample-ios uses of SwiftUI: signatures only, with the isolation that Apple's SDK has.
@_exported import CoreGraphics
@_exported import Foundation
@_exported import Observation
@_exported import UIKit

// MARK: Views and their builder

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}
extension Never: View { public var body: Never { fatalError() } }
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }

@MainActor public protocol Leaf: View where Body == Never {}
extension Leaf { public var body: Never { fatalError() } }

public struct EmptyView: Leaf { public init() {} }
public struct TupleView<Content>: Leaf {}
public struct EitherView<First: View, Second: View>: Leaf {}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { fatalError() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
        fatalError()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> EitherView<First, Second> { fatalError() }
    public static func buildEither<First: View, Second: View>(second: Second) -> EitherView<First, Second> { fatalError() }
}

// MARK: State

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: @autoclosure () -> Value) {}
    public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
    public var projectedValue: Binding<Value> { fatalError() }
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value: AnyObject & Observable> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value { get { fatalError() } set { fatalError() } }
    public var projectedValue: Bindable<Value> { self }
    public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError()
    }
}

@propertyWrapper public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}

public struct EnvironmentValues {
    public var scenePhase: ScenePhase { fatalError() }
    public var openURL: OpenURLAction { fatalError() }
}

public enum ScenePhase: Sendable { case background, inactive, active }
@MainActor public struct OpenURLAction { public func callAsFunction(_ url: URL) {} }

// MARK: The app

@MainActor public protocol Scene {}
@resultBuilder public enum SceneBuilder { public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content } }
@MainActor public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}
extension App { public static func main() {} }
public struct WindowGroup<Content: View>: Scene { public init(@ViewBuilder content: () -> Content) {} }

// MARK: What is drawn

public struct Text: Leaf { public init<Words: StringProtocol>(_ content: Words) {} }
public struct Spacer: Leaf { public init() {} }
public struct ProgressView: Leaf {
    public init() {}
    public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1.0) {}
}

public struct Image: Leaf {
    public enum Interpolation { case none, low, medium, high }
    public init(systemName: String) {}
    public init(decorative image: CGImage, scale: CGFloat) {}
    public func interpolation(_ interpolation: Interpolation) -> Image { self }
    public func resizable() -> Image { self }
}

public struct Label: Leaf { public init<Words: StringProtocol>(_ title: Words, systemImage: String) {} }
public struct LabeledContent: Leaf {
    public init<Words: StringProtocol, Value: StringProtocol>(_ title: Words, value: Value) {}
}

public enum HorizontalAlignment { case leading, center, trailing }
public struct VStack<Content: View>: Leaf {
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}
public struct HStack<Content: View>: Leaf { public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {} }
public struct ViewThatFits<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct NavigationStack<Content: View>: Leaf { public init(@ViewBuilder root: () -> Content) {} }
public struct TabView<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct List<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct Form<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }

public struct Section<Content: View>: Leaf {
    public init(@ViewBuilder content: () -> Content) {}
    public init<Words: StringProtocol>(_ title: Words, @ViewBuilder content: () -> Content) {}
    public init<Header: View, Footer: View>(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header, @ViewBuilder footer: () -> Footer
    ) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
extension ForEach: View, Leaf where Content: View {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable, ID == Data.Element.ID {}
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

public struct ButtonRole: Sendable {
    public static let cancel = ButtonRole()
    public static let destructive = ButtonRole()
}
public struct Button: Leaf {
    public init<Words: StringProtocol>(_ title: Words, action: @escaping @MainActor () -> Void) {}
    public init<Words: StringProtocol>(_ title: Words, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
}
public struct BorderedButtonStyle { public init() {} }
public struct Toggle: Leaf { public init<Words: StringProtocol>(_ title: Words, isOn: Binding<Bool>) {} }
public struct TextField: Leaf { public init<Words: StringProtocol>(_ title: Words, text: Binding<String>) {} }
public struct Picker<Value: Hashable, Content: View>: Leaf {
    public init<Words: StringProtocol>(_ title: Words, selection: Binding<Value>, @ViewBuilder content: () -> Content) {}
}

// MARK: Styles

public protocol ShapeStyle: Sendable {}
public struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == HierarchicalShapeStyle { public static var secondary: Self { fatalError() } }
public struct Color: ShapeStyle {
    public static var secondary: Color { fatalError() }
    public static var accentColor: Color { fatalError() }
    public func opacity(_ opacity: Double) -> Color { self }
}
// Apart, so that a colour may be named anywhere.
extension Color: View, Leaf {}
extension ShapeStyle where Self == Color {
    public static var green: Color { fatalError() }
    public static var orange: Color { fatalError() }
    public static var red: Color { fatalError() }
    public static var white: Color { fatalError() }
}

public struct Font: Sendable {
    public static let title2 = Font()
    public static let footnote = Font()
    public func bold() -> Font { self }
    public func monospaced() -> Font { self }
}
public struct StrokeStyle: Sendable { public init(lineWidth: CGFloat = 1, dash: [CGFloat] = []) {} }

public struct Edge { public struct Set: Sendable { public static let vertical = Set() } }
public struct AccessibilityChildBehavior: Sendable {
    public static let ignore = AccessibilityChildBehavior()
    public static let combine = AccessibilityChildBehavior()
}
public struct AccessibilityTraits: Sendable {
    public static let isHeader = AccessibilityTraits()
    public static let isImage = AccessibilityTraits()
}
public struct TextInputAutocapitalization: Sendable { public static var never: TextInputAutocapitalization { fatalError() } }
public struct EnabledTextSelectability { public init() {} }
extension BorderedButtonStyle { public static var bordered: BorderedButtonStyle { fatalError() } }
extension EnabledTextSelectability { public static var enabled: EnabledTextSelectability { fatalError() } }

// MARK: Modifiers

extension View {
    public func font(_ font: Font?) -> some View { self }
    public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { self }
    public func background<Style: ShapeStyle>(_ style: Style) -> some View { self }
    public func padding() -> some View { self }
    public func padding(_ edges: Edge.Set, _ length: CGFloat?) -> some View { self }
    public func frame(minHeight: CGFloat? = nil, maxWidth: CGFloat? = nil) -> some View { self }
    public func scaledToFit() -> some View { self }
    public func buttonStyle(_ style: BorderedButtonStyle) -> some View { self }
    public func disabled(_ disabled: Bool) -> some View { self }
    public func navigationTitle<Words: StringProtocol>(_ title: Words) -> some View { self }
    public func tabItem<Content: View>(@ViewBuilder _ label: () -> Content) -> some View { self }
    public func autocorrectionDisabled() -> some View { self }
    public func keyboardType(_ type: UIKeyboardType) -> some View { self }
    public func textInputAutocapitalization(_ kind: TextInputAutocapitalization?) -> some View { self }
    public func textSelection(_ selection: EnabledTextSelectability) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { self }
    public func task(_ action: @escaping @Sendable @isolated(any) () async -> Void) -> some View { self }
    public func onChange<Value: Equatable>(of value: Value, _ action: @escaping (Value, Value) -> Void) -> some View { self }
    public func alert<Words: StringProtocol, Actions: View, Message: View>(
        _ title: Words, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View { self }
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View { self }
    public func accessibilityLabel<Words: StringProtocol>(_ label: Words) -> some View { self }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
}
