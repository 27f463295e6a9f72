"""How far a node is with fetching a model."""

from .base import Id, Memory, Strict, Tagged
from .cards import ShardMetadata


class DownloadProgressData(Strict):
    total: Memory
    downloaded: Memory
    downloaded_this_session: Memory
    completed_files: int
    total_files: int
    speed: float
    eta_ms: int
    files: dict[str, "DownloadProgressData"]


class AnyDownload(Tagged):
    node_id: Id
    shard_metadata: ShardMetadata
    model_directory: str = ""


class DownloadPending(AnyDownload):
    downloaded: Memory = Memory()
    total: Memory = Memory()


class DownloadCompleted(AnyDownload):
    total: Memory
    read_only: bool = False


class DownloadFailed(AnyDownload):
    error_message: str


class DownloadOngoing(AnyDownload):
    download_progress: DownloadProgressData


DownloadProgress = DownloadPending | DownloadCompleted | DownloadFailed | DownloadOngoing
