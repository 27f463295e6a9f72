import Accessibility
import SampleModels
import SwiftUI

/// How things stand: a symbol, a headline, a sentence, and what can be done.
struct StandingView: View {
    let standing: Standing
    let act: (Action) -> Void

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            VStack(alignment: .leading, spacing: 6) {
                HStack(spacing: 10) {
                    if standing.isBusy {
                        ProgressView()
                    } else {
                        Image(systemName: standing.tone.symbol).foregroundStyle(standing.tone.colour)
                    }
                    Text(standing.headline).font(.title2.bold())
                }
                Text(standing.sentence).foregroundStyle(.secondary)
            }
            .accessibilityElement(children: .combine)
            .accessibilityAddTraits(.isHeader)
            ForEach(standing.actions, id: \.self) { action in
                Button(action.label) { act(action) }
                    .buttonStyle(.bordered)
            }
        }
        .padding(.vertical, 6)
        .onChange(of: standing.headline) { _, headline in
            AccessibilityNotification.Announcement("\(headline). \(standing.sentence)").post()
        }
    }
}

/// A list with a title; nothing where there is nothing to list.
struct LinesSection: View {
    let title: String
    let lines: [Line]

    var body: some View {
        if !lines.isEmpty {
            Section(title) {
                ForEach(lines) { LineView(line: $0) }
            }
        }
    }
}

/// One thing: its name, its figure, and more about it. Grows with the text size, and breaks into lines where it must.
struct LineView: View {
    let line: Line

    var body: some View {
        VStack(alignment: .leading, spacing: 2) {
            ViewThatFits {
                HStack {
                    title
                    Spacer()
                    figure
                }
                VStack(alignment: .leading) {
                    title
                    figure
                }
            }
            if !line.detail.isEmpty {
                Text(line.detail).font(.footnote).foregroundStyle(.secondary)
            }
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(line.spoken)
    }

    private var title: some View {
        HStack(spacing: 6) {
            if line.tone != .calm {
                Image(systemName: line.tone.symbol).font(.footnote).foregroundStyle(line.tone.colour)
            }
            Text(line.title)
        }
    }

    private var figure: some View { Text(line.figure).foregroundStyle(.secondary) }
}

extension Tone {
    /// Told by its shape too: not everybody tells colours apart.
    var symbol: String {
        switch self {
        case .calm: "circle"
        case .good: "checkmark.circle.fill"
        case .warn: "exclamationmark.triangle.fill"
        case .bad: "xmark.octagon.fill"
        }
    }

    /// The system's own, which know light and dark.
    var colour: Color {
        switch self {
        case .calm: .secondary
        case .good: .green
        case .warn: .orange
        case .bad: .red
        }
    }
}
