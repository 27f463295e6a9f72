internal import ExoMobileCore

extension ExoError.Kind {
    init(_ kind: ExoMobileCore.ErrorKind) {
        self =
            switch kind {
            case .invalidArgument: .invalidArgument
            case .closed: .closed
            case .notPermitted: .notPermitted
            case .cancelled: .cancelled
            case .noDevice: .noDevice
            case .outOfMemory: .outOfMemory
            case .unsupported: .unsupported
            case .deviceLost: .deviceLost
            case .suspended: .suspended
            case .driver: .driver
            case .storage: .storage
            case .port: .port
            case .system: .system
            case .unreachable: .unreachable
            case .refused: .refused
            case .unheard: .unheard
            case .notFound: .notFound
            case .foreign: .foreign
            case .fault: .fault
            }
    }

    var core: ExoMobileCore.ErrorKind {
        switch self {
        case .invalidArgument: .invalidArgument
        case .closed: .closed
        case .notPermitted: .notPermitted
        case .cancelled: .cancelled
        case .noDevice: .noDevice
        case .outOfMemory: .outOfMemory
        case .unsupported: .unsupported
        case .deviceLost: .deviceLost
        case .suspended: .suspended
        case .driver: .driver
        case .storage: .storage
        case .port: .port
        case .system: .system
        case .unreachable: .unreachable
        case .refused: .refused
        case .unheard: .unheard
        case .notFound: .notFound
        case .foreign: .foreign
        case .fault: .fault
        }
    }

    /// The kind with this number, where an enum cannot cross: its place in the list, from 1 on. The core has the same
    /// list in the same order.
    init(number: Int32) {
        let index = Int(number) - 1
        self = Self.allCases.indices.contains(index) ? Self.allCases[index] : .fault
    }
}
