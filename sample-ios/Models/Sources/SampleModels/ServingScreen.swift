import ExoMobile

/// The switch *Serve this model*: what it costs, which is shown before it is turned on, and whether it is on.
public struct ServingScreen: Sendable, Equatable {
    /// Whether the cluster may have the model.
    public let isOn: Bool
    /// What it takes of this phone: memory, heat, battery.
    public let costs: [Line]
    /// What the switch does, or did.
    public let sentence: String

    /// None while no model is there to be served.
    public init?(_ chat: ChatSeen, _ seen: Seen) {
        guard let model = chat.model else { return nil }
        isOn = chat.offered.contains(model.id)
        let phone = PhoneScreen(seen)
        costs = [
            Self.memory(model), Self.cost(phone.heat, "Answers warm the phone."), Self.battery(seen, phone),
        ]
        sentence = Self.sentence(isOn, seen)
    }

    private static func memory(_ model: ShelvedModel) -> Line {
        Line(
            id: "memory", title: "Memory",
            detail: "Your chat and the cluster share it; it stays taken while it is served.",
            figure: model.memory.map(bytes) ?? "Not known")
    }

    private static func battery(_ seen: Seen, _ phone: PhoneScreen) -> Line {
        guard var line = phone.parts.first(where: { $0.id == "battery" }) else {
            return Line(id: "battery", title: "Battery", detail: "", figure: "Not known")
        }
        if seen.condition?.readings.battery.charging.value == false { line.tone = .warn }
        return cost(line, "Answers drain it.")
    }

    /// How the phone is already, and what would come on top.
    private static func cost(_ line: Line, _ words: String) -> Line {
        var line = line
        line.detail = [words, line.detail].filter { !$0.isEmpty }.joined(separator: " ")
        return line
    }

    private static func sentence(_ isOn: Bool, _ seen: Seen) -> String {
        guard isOn else {
            return "Others in your cluster could ask this model. Your rules and the heat decide when it answers."
        }
        guard let condition = seen.condition, seen.state?.isJoined == true else {
            return "It is on offer as soon as this phone is in a cluster."
        }
        return condition.allowance.admits
            ? "The cluster may ask it, with \(percent(condition.share)) of this phone."
            : "On offer, but your rules allow no work now."
    }
}
