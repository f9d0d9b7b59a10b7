"""Data-sheet peaks of accelerators we know: dense, without sparsity."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DevicePeaks:
    """FLOP/s for float32 (outside tensor cores) and float16/bfloat16, bytes/s of memory."""

    name: str
    float32: float
    half: float
    bandwidth: float


# Sources: the makers' data sheets of each product, dense figures. The first name that is contained
# in the device's own name counts, so longer names stand before shorter ones.
_TABLE = (
    DevicePeaks("B200", 80e12, 2250e12, 8.0e12),
    DevicePeaks("H200", 67e12, 989e12, 4.8e12),
    DevicePeaks("H100 PCIe", 51e12, 756e12, 2.0e12),
    DevicePeaks("H100", 67e12, 989e12, 3.35e12),
    DevicePeaks("A100-SXM4-80GB", 19.5e12, 312e12, 2.039e12),
    DevicePeaks("A100", 19.5e12, 312e12, 1.555e12),
    DevicePeaks("V100", 15.7e12, 125e12, 0.9e12),
    DevicePeaks("MI300X", 163.4e12, 1307.4e12, 5.3e12),
    DevicePeaks("L40S", 91.6e12, 362e12, 0.864e12),
    DevicePeaks("L4", 30.3e12, 121e12, 0.3e12),
    DevicePeaks("A10G", 31.2e12, 125e12, 0.6e12),
    DevicePeaks("T4", 8.1e12, 65e12, 0.32e12),
    DevicePeaks("RTX 4090", 82.6e12, 165.2e12, 1.008e12),
    DevicePeaks("RTX 3090", 35.6e12, 71e12, 0.936e12),
)


def known_peaks(device_name: str) -> DevicePeaks | None:
    """The table's entry for a device name, None for a device that is not in it."""
    return next((entry for entry in _TABLE if entry.name in device_name), None)
