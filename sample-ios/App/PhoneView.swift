import SampleModels
import SwiftUI

/// The screen *This phone*.
struct PhoneView: View {
    let screen: PhoneScreen

    var body: some View {
        NavigationStack {
            List {
                Section {
                    StandingView(standing: screen.standing) { _ in }
                }
                LinesSection(title: "What your rules say", lines: screen.rules)
                Section("Heat") {
                    LineView(line: screen.heat)
                    if let curve = screen.curve { HeatChart(curve: curve, spoken: screen.heat.spoken) }
                }
                LinesSection(title: "What it has", lines: screen.parts)
            }
            .navigationTitle("This phone")
        }
    }
}
