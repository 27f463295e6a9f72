#if canImport(os)
    import os

    /// The core's log in the unified log, where Console and Instruments show it.
    public final class UnifiedLog: LogSink {
        private let subsystem: String

        /// `subsystem` is what Console filters by.
        public init(subsystem: String = "dev.exo.mobile") {
            self.subsystem = subsystem
        }

        /// Writes one line.
        public func log(_ level: LogLevel, about: String, line: String) {
            let logger = Logger(subsystem: subsystem, category: about)
            // Addresses of a home network are private: the system redacts them unless a debugger is attached.
            switch level {
            case .debug: logger.debug("\(line, privacy: .private)")
            case .info: logger.info("\(line, privacy: .private)")
            case .warning: logger.warning("\(line, privacy: .private)")
            case .error: logger.error("\(line, privacy: .private)")
            }
        }
    }
#endif
