import CoreImage
import SwiftUI

/// The link of this cluster, for the camera of another phone.
struct QrSection: View {
    let link: String

    var body: some View {
        Section {
            if let code = Self.code(of: link) {
                Image(decorative: code, scale: 1)
                    .interpolation(.none)
                    .resizable()
                    .scaledToFit()
                    .padding()
                    // Readers want dark on light, also in the dark.
                    .background(Color.white)
                    .frame(maxWidth: 280)
                    .frame(maxWidth: .infinity)
                    .accessibilityElement()
                    .accessibilityLabel("QR code of \(link)")
                    .accessibilityAddTraits(.isImage)
            }
            Text(link).font(.footnote.monospaced()).textSelection(.enabled)
        } header: {
            Text("Bring another phone")
        } footer: {
            Text("Its camera opens this link, and its owner is asked.")
        }
    }

    private static func code(of text: String) -> CGImage? {
        let inputs: [String: Any] = ["inputMessage": Data(text.utf8), "inputCorrectionLevel": "M"]
        let image = CIFilter(name: "CIQRCodeGenerator", parameters: inputs)?.outputImage
        return image.flatMap { CIContext().createCGImage($0, from: $0.extent) }
    }
}
