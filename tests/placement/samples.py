"""Random clusters of phones, Macs and hosts, and the two problems of the race."""

import random

from .formulas import Json


def cluster(
    seed: int,
    devices: int,
    layers: int,
    *,
    objective: str = "latency",
    alike: bool = False,
    uniform: bool = False,
    plenty: float = 1.6,
    max_devices: int | None = None,
    time_limit_ms: int = 5000,
) -> Json:
    """`plenty` is the memory of all devices as a multiple of what the model needs."""
    draw = random.Random(seed)
    context = 2048
    one = {"bytes": 200_000_000, "flops": 400_000_000, "kv_bytes_per_token": 4096}
    rows = []
    for _ in range(layers):
        factor = 1.0 if alike else draw.choice([1.0, 1.0, 1.25, 1.5, 0.75])
        rows.append({**one, "bytes": int(one["bytes"] * factor), "flops": one["flops"] * factor})
    need = sum(row["bytes"] + row["kv_bytes_per_token"] * context for row in rows)
    members = [
        {
            "id": f"d{i}",
            "memory_bytes": int(need * plenty / devices * draw.uniform(0.4, 1.8)),
            "flops_per_s": draw.uniform(0.5, 30) * 1e12,
            "memory_bytes_per_s": draw.uniform(2, 80) * 1e10,
            "thermal_factor": round(draw.uniform(0.5, 1.0), 2),
            "allowed": True,
        }
        for i in range(devices)
    ]
    links = [
        {
            "from": f"d{i}",
            "to": f"d{j}",
            "latency_s": round(draw.uniform(0.0003, 0.02), 5),
            "bytes_per_s": draw.uniform(1, 100) * 1e6,
        }
        for i in range(devices)
        for j in range(devices)
        if i != j and not uniform
    ]
    return {
        "model": {
            "layers": rows,
            "embedding_bytes": 250_000_000,
            "head_bytes": 250_000_000,
            "activation_bytes": 8192,
        },
        "devices": members,
        "links": links,
        "default_link": {"latency_s": 0.002, "bytes_per_s": 5e7},
        "workload": {"context_tokens": context},
        "objective": objective,
        "max_devices": max_devices,
        "time_limit_ms": time_limit_ms,
    }


def p14(objective: str = "latency") -> Json:
    """64 devices, 128 alike layers, uniform links."""
    return cluster(14, 64, 128, objective=objective, alike=True, uniform=True)


def p14b(objective: str = "latency", seed: int = 14) -> Json:
    """12 devices, 48 layers, every link its own."""
    return cluster(seed, 12, 48, objective=objective, time_limit_ms=1000)
