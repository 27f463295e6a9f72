import SampleModels
import SwiftUI

/// The screen *Chat*.
struct ChatView: View {
    let model: SampleModel
    @Bindable var chat: Chat

    var body: some View {
        let screen = model.talk
        NavigationStack {
            List {
                Section {
                    StandingView(standing: screen.standing) { _ in }
                    Button("Look again") { Task { await chat.look() } }
                        .buttonStyle(.bordered)
                }
                if let download = model.download {
                    DownloadSection(screen: download, download: chat.download) { chat.get() }
                }
                choices(screen)
                if !screen.turns.isEmpty { turns(screen) }
                if screen.canAsk || screen.canStop { question(screen) }
                if let serving = model.serving { ServingSection(screen: serving) { model.serve($0) } }
            }
            .navigationTitle("Chat")
        }
    }

    @ViewBuilder private func choices(_ screen: ChatScreen) -> some View {
        if !screen.choices.isEmpty {
            Section("Models on this phone") {
                ForEach(screen.choices) { choice in
                    LineView(line: choice.line)
                    if choice.isChosen {
                        Button("Let go of it", role: .destructive) { chat.letGo() }
                    } else if choice.isPossible {
                        Button("Load it") { chat.choose(choice.id) }
                            .accessibilityLabel("Load \(choice.id)")
                    }
                }
            }
        }
    }

    private func turns(_ screen: ChatScreen) -> some View {
        Section("What was said") {
            ForEach(screen.turns) { TurnView(turn: $0) }
            Button("Forget it", role: .destructive) { chat.clear() }
        }
    }

    private func question(_ screen: ChatScreen) -> some View {
        Section {
            TextField("Your question", text: $chat.typed)
                .onSubmit { chat.ask() }
            if screen.canStop {
                Button("Stop", role: .cancel) { chat.stop() }
            } else {
                Button("Ask") { chat.ask() }
                    .disabled(chat.typed.isEmpty)
            }
        }
    }
}

/// Which model, how far it is, and what went wrong.
struct DownloadSection: View {
    let screen: DownloadScreen
    @Bindable var download: Download
    let get: () -> Void

    var body: some View {
        Section {
            TextField("Owner/Name", text: $download.typed)
                .autocorrectionDisabled()
                .textInputAutocapitalization(.never)
                .disabled(screen.isComing)
            if screen.isComing {
                ProgressView(value: screen.part)
                    .accessibilityLabel(screen.sentence)
                Button("Stop", role: .cancel) { download.stop() }
            } else {
                Button("Get it") { get() }
                    .disabled(download.typed.isEmpty)
            }
        } header: {
            Text("Get a model")
        } footer: {
            Text(screen.sentence).foregroundStyle(screen.tone.colour)
        }
    }
}

/// Something that was said, and what it took.
struct TurnView: View {
    let turn: Turn

    var body: some View {
        VStack(alignment: .leading, spacing: 2) {
            Text(turn.isMine ? "You" : "The model").font(.footnote.bold()).foregroundStyle(.secondary)
            if !turn.text.isEmpty { Text(turn.text).textSelection(.enabled) }
            if !turn.note.isEmpty {
                Text(turn.note).font(.footnote).foregroundStyle(turn.tone.colour)
            }
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(turn.spoken)
    }
}

/// The switch, below what it costs.
struct ServingSection: View {
    let screen: ServingScreen
    let serve: (Bool) -> Void

    var body: some View {
        Section {
            ForEach(screen.costs) { LineView(line: $0) }
            Toggle("Serve this model", isOn: Binding(get: { screen.isOn }, set: { serve($0) }))
        } header: {
            Text("For the cluster: what it costs")
        } footer: {
            Text(screen.sentence)
        }
    }
}
