import SampleModels
import SwiftUI

/// The screen *Cluster*.
struct ClusterView: View {
    let model: SampleModel
    @Environment(\.openURL) private var openURL

    var body: some View {
        let screen = model.cluster
        NavigationStack {
            List {
                Section {
                    StandingView(standing: screen.standing) { act($0) }
                }
                LinesSection(title: "How it is searched", lines: screen.ways)
                LinesSection(title: "In the cluster", lines: screen.devices)
                LinesSection(title: "Models that run", lines: screen.models)
            }
            .navigationTitle("Cluster")
        }
    }

    private func act(_ action: Action) {
        switch action {
        case .join: model.join()
        case .leave: Task { await model.leave() }
        case .openSettings:
            if let settings = URL(string: UIApplication.openSettingsURLString) { openURL(settings) }
        }
    }
}
