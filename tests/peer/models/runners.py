"""What a runner may say about itself."""

from .base import Tagged


class Diagnostic(Tagged):
    message: str
    # A JSON list is no tuple to a strict model inside a tagged one: exo can't read its own non-empty diagnostics.
    evidence: tuple[str, ...] = ()


class RunnerMetalGpuTimeout(Diagnostic):
    pass


class RunnerRingTransportError(Diagnostic):
    pass


class RunnerRingSocketReceivingError(Diagnostic):
    error_number: int
    error_name: str
    error_description: str


KnownDiagnostic = RunnerMetalGpuTimeout | RunnerRingTransportError | RunnerRingSocketReceivingError


class RunnerIdle(Tagged):
    pass


class RunnerConnecting(Tagged):
    pass


class RunnerConnected(Tagged):
    pass


class RunnerLoading(Tagged):
    layers_loaded: int = 0
    total_layers: int = 0


class RunnerLoaded(Tagged):
    pass


class RunnerWarmingUp(Tagged):
    pass


class RunnerReady(Tagged):
    prefill_server_port: int | None = None


class RunnerRunning(Tagged):
    pass


class RunnerShuttingDown(Tagged):
    pass


class RunnerShutdown(Tagged):
    pass


class RunnerFailed(Tagged):
    error_message: str | None = None
    diagnostics: list[KnownDiagnostic]


RunnerStatus = (
    RunnerIdle
    | RunnerConnecting
    | RunnerConnected
    | RunnerLoading
    | RunnerLoaded
    | RunnerWarmingUp
    | RunnerReady
    | RunnerRunning
    | RunnerShuttingDown
    | RunnerShutdown
    | RunnerFailed
)
