import SampleModels
import SwiftUI

/// The four screens, and the question that a link from outside asks.
struct ContentView: View {
    @Bindable var model: SampleModel

    var body: some View {
        TabView {
            ClusterView(model: model)
                .tabItem { Label("Cluster", systemImage: "point.3.connected.trianglepath.dotted") }
            PhoneView(screen: model.phone)
                .tabItem { Label("This phone", systemImage: "iphone") }
            ChatView(model: model, chat: model.chat)
                .tabItem { Label("Chat", systemImage: "bubble.left.and.bubble.right") }
            SettingsView(model: model)
                .tabItem { Label("Settings", systemImage: "gearshape") }
        }
        .alert("Join this cluster?", isPresented: isAsked) {
            Button("Join") { model.agree() }
            Button("Not now", role: .cancel) { model.dismiss() }
        } message: {
            Text(model.question ?? "")
        }
    }

    /// Put away by a button alone, which says what was decided.
    private var isAsked: Binding<Bool> {
        Binding(get: { model.offered != nil }, set: { _ in })
    }
}
