import ExoMobile
import SampleModels
import SwiftUI

/// A phone that joins the exo of its network, shows how that goes, and answers with models of its own.
@main
struct SampleApp: App {
    @State private var model = SampleModel.ofThisPhone()
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            ContentView(model: model)
                // The system's camera reads a QR code and opens its link here. It is shown before anything is sent.
                .onOpenURL { model.offer($0.absoluteString) }
                .task { await model.membership.lookAtGpu() }
                // Before the first node begins, which is given the models then.
                .task { await model.chat.look() }
                .onChange(of: phase) { _, phase in
                    if phase == .active { model.comeBack() }
                    if phase == .background { model.chat.rest() }
                }
        }
    }
}

extension SampleModel {
    /// With all that iOS has for it. A node says goodbye when the app leaves the screen: iOS would suspend it.
    fileprivate static func ofThisPhone() -> SampleModel {
        var lifecycle = AppLifecycle()
        let membership = Membership(
            platform: {
                lifecycle = AppLifecycle()
                var platform = Platform.standard
                platform.lifecycle = lifecycle
                return platform
            },
            begun: { lifecycle.leaveInBackground($0) })
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let model = SampleModel(
            folder: folders.first ?? FileManager.default.temporaryDirectory, membership: membership)
        // For as long as the app lives.
        _ = NotificationCenter.default.addObserver(
            forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: nil
        ) { _ in
            Task { @MainActor in await model.relieve() }
        }
        return model
    }
}
