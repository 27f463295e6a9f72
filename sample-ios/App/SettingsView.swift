import SampleModels
import SwiftUI

/// The screen *Settings*.
struct SettingsView: View {
    @Bindable var model: SampleModel

    var body: some View {
        NavigationStack {
            Form {
                Section {
                    TextField("This phone's name", text: $model.wishes.name)
                        .autocorrectionDisabled()
                } header: {
                    Text("Name")
                } footer: {
                    Text("Others see it in exo's dashboard, from the next join on.")
                }
                rules
                link
                if let shared = model.shared { QrSection(link: shared) }
                if let trouble = model.trouble {
                    Section { Text(trouble).foregroundStyle(.red) }
                }
            }
            .navigationTitle("Settings")
        }
    }

    private var rules: some View {
        Section {
            Toggle("Only while charging", isOn: $model.wishes.onlyWhileCharging)
            Toggle("Only on Wi-Fi", isOn: $model.wishes.wifiOnly)
            Toggle("Only while this app is open", isOn: $model.wishes.foregroundOnly)
            Toggle("Not between 22:00 and 7:00", isOn: $model.wishes.quietNights)
            Picker("Battery at least", selection: $model.wishes.minBattery) {
                ForEach(Wishes.batteries, id: \.self) { Text(Wishes.batteryLabel($0)) }
            }
        } header: {
            Text("When it may work")
        } footer: {
            Text("What the rules make of this moment is on the screen This phone.")
        }
    }

    private var link: some View {
        Section {
            TextField("exo://192.168.1.7", text: $model.typed)
                .keyboardType(.URL)
                .textInputAutocapitalization(.never)
                .autocorrectionDisabled()
                .accessibilityLabel("Link to a cluster")
                .onSubmit { model.offer(model.typed) }
            Button("Look at this link") { model.offer(model.typed) }
                .disabled(model.typed.isEmpty)
            if let fault = model.linkFault { Text(fault).font(.footnote).foregroundStyle(.red) }
            if let kept = model.wishes.link {
                LabeledContent("In use", value: kept)
                Button("Forget it", role: .destructive) { model.forgetLink() }
            }
        } header: {
            Text("Link")
        } footer: {
            Text("Where nothing is found by itself, a link names the exo. You are asked before anything is sent.")
        }
    }
}
