import ExoMobile

/// The screen *This phone*: what it has, how it is, and what its owner's rules make of that.
public struct PhoneScreen: Sendable, Equatable {
    /// Whether it works.
    public let standing: Standing
    /// Why not more, rule by rule.
    public let rules: [Line]
    /// The heat now and to come, in words.
    public let heat: Line
    /// The same as a chart, once there is anything to draw.
    public let curve: HeatCurve?
    /// GPU, memory, battery.
    public let parts: [Line]

    /// What to say of this.
    public init(_ seen: Seen) {
        standing = Self.work(seen.condition)
        rules = seen.condition?.allowance.reasons.map(Self.line) ?? []
        heat = Self.heat(seen)
        curve = HeatCurve(seen.heat, seen.condition?.heat.outlook)
        let readings = seen.condition?.readings ?? Readings()
        parts = [Self.gpu(seen.gpu), Self.memory(readings.memory), Self.battery(readings.battery)]
    }

    private static func work(_ condition: Condition?) -> Standing {
        guard let condition else {
            return Standing(
                tone: .calm, headline: "Nobody looks",
                sentence: "Once this phone searches for a cluster, its heat is forecast here, "
                    + "and your rules are weighed.")
        }
        if condition.work == .draining {
            return Standing(
                tone: .warn, headline: "Coming to rest",
                sentence: "No new work is taken. What is under way may finish.")
        }
        if !condition.allowance.admits {
            return Standing(tone: .warn, headline: "At rest", sentence: "Your rules allow no work now.")
        }
        return Standing(
            tone: .good, headline: "Ready to work",
            sentence: "Work may use \(percent(condition.share)) of this phone.")
    }

    private static func line(_ reason: Allowance.Reason) -> Line {
        let (tone, title): (Tone, String) =
            switch reason.verdict {
            case .limited: (.calm, "A part")
            case .denied: (.warn, "No")
            case .unknown: (.warn, "Not known, so no")
            }
        return Line(id: reason.rule.rawValue, tone: tone, title: title, detail: sentence(reason.words))
    }

    private static func heat(_ seen: Seen) -> Line {
        let figure = seen.heat.last.map { inWords($0.value, $0.unit) } ?? "No sensor told yet"
        guard let heat = seen.condition?.heat else {
            return Line(id: "heat", title: "Heat", detail: "", figure: figure)
        }
        var words = ["No forecast yet."]
        if let outlook = heat.outlook {
            let mean = "In \(minutes(outlook.horizon)): \(inWords(outlook.mean, outlook.unit))"
            // Levels are few: a band around one says nothing.
            let (low, high) = (inWords(outlook.low, outlook.unit), inWords(outlook.high, outlook.unit))
            let band = outlook.unit == .levels ? "" : ", most likely between \(low) and \(high)"
            words = [mean + band + "."]
        }
        if let limit = heat.timeToLimit { words.append("Too warm in \(minutes(limit)).") }
        words.append(pace(heat.level))
        let tone: Tone = heat.level >= .eased ? .calm : heat.level == .paused ? .bad : .warn
        return Line(id: "heat", tone: tone, title: "Heat", detail: words.joined(separator: " "), figure: figure)
    }

    private static func pace(_ level: Heat.Level) -> String {
        switch level {
        case .paused: "It rests until it has cooled down."
        case .low: "It does just enough to keep its place."
        case .half: "It works at about half its pace."
        case .reduced: "It works at four fifths of its pace."
        case .eased: "It works a little less than it could."
        case .full: "It is cool enough for everything."
        }
    }

    private static func gpu(_ gpu: GpuSeen) -> Line {
        switch gpu {
        case .unopened:
            return Line(id: "gpu", title: "GPU", detail: "Its driver is asked what it can do.", figure: "Being opened")
        case .refused(let why):
            return Line(id: "gpu", tone: .warn, title: "GPU", detail: sentence(why), figure: "None could be opened")
        case .device(let device):
            let shared = device.hasUnifiedMemory ? "shared with the phone" : "of its own"
            let backend = device.backend == .cpu ? "the processor" : device.backend.rawValue.capitalized
            return Line(
                id: "gpu", title: "GPU", detail: "\(bytes(device.memoryBytes)) \(shared), driven by \(backend).",
                figure: device.name)
        }
    }

    private static func memory(_ memory: Readings.Memory) -> Line {
        guard let total = memory.total.value else { return unknown("memory", "Memory", memory.total) }
        guard let free = memory.available.value else {
            let why = sentence(memory.available.note ?? "")
            return Line(id: "memory", title: "Memory", detail: why, figure: bytes(total))
        }
        return Line(id: "memory", title: "Memory", detail: "Of \(bytes(total)) in all.", figure: "\(bytes(free)) free")
    }

    private static func battery(_ battery: Readings.Battery) -> Line {
        guard let level = battery.level.value else { return unknown("battery", "Battery", battery.level) }
        let charging =
            switch battery.charging.value {
            case true?: "Being charged"
            case false?: "Not being charged"
            case nil: "Whether it is charged is not known"
            }
        let saving = battery.powerSave.value == true ? ", and the phone saves power" : ""
        return Line(id: "battery", title: "Battery", detail: "\(charging)\(saving).", figure: percent(level))
    }

    private static func unknown<Value>(_ id: String, _ title: String, _ reading: Reading<Value>) -> Line {
        Line(id: id, title: title, detail: sentence(reading.note ?? ""), figure: "Not known")
    }
}
