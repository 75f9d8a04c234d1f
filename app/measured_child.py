"""Times a callable of the user in a process of its own, which imports the standard library and the user's code alone.

Run as a script by `perdollar measure`. The plan comes as JSON in the first argument; events go as JSON lines to
one file descriptor, and before each repeat a byte comes from another: g for go, anything else for stop.
"""

import importlib
import inspect
import json
import os
import platform
import signal
import sys
import time
from collections.abc import Callable
from typing import Any


def _synchronizer(device: str) -> Any:
    """Return what waits until the device has done its work; timing without it measures only the launch."""
    torch = sys.modules.get("torch")
    if device in ("", "cpu"):
        return lambda: None
    if torch is None:
        raise SystemExit(
            f"the code has not loaded PyTorch, so that the device {device!r} can't be waited for, and the time would "
            "be that of the launch; load torch, or leave --device out if the call itself waits until the work is done"
        )
    kind = device.partition(":")[0]
    if kind == "xla":
        xla = importlib.import_module("torch_xla.core.xla_model")

        def wait() -> None:
            xla.mark_step()
            xla.wait_device_ops()

        return wait
    own = getattr(torch, kind, None)
    if own is not None and hasattr(own, "synchronize"):
        return own.synchronize
    general = getattr(torch, "accelerator", None)
    if general is not None and hasattr(general, "synchronize"):
        return general.synchronize
    raise SystemExit(f"PyTorch {torch.__version__} has no way to wait for the device {device!r}")


def _used(device: str) -> bool:
    """Whether the device may have been used: False if its memory never was."""
    own = getattr(sys.modules.get("torch"), device.partition(":")[0], None)
    most = getattr(own, "max_memory_allocated", None)
    if most is None:
        return True
    try:
        return bool(most() > 0)
    except Exception:
        return True


def _counted(result: object) -> float | None:
    """Return how many units a call says it did; None if it does not say."""
    return float(result) if isinstance(result, (int, float)) and not isinstance(result, bool) else None


def _notes(plan: dict[str, Any], returned: list[float], takes_device: bool) -> list[str]:
    """Return what the user should know of the calls: a number that was not counted, a device that may be unused."""
    notes = []
    if returned:
        notes.append(
            f"the call returned {returned[0]:g}, but --units-per-call {plan['units']:g} is what counts; "
            "leave it out to count what is returned"
        )
    if plan["device"] not in ("", "cpu") and not (takes_device and _used(plan["device"])):
        notes.append(f"nothing shows that the work ran on the device {plan['device']}, which the call may not use")
    return notes


def _environment(device: str) -> dict[str, Any]:
    """Return what the run depends on: versions, device and how many there are."""
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": device or "cpu",
    }
    torch = sys.modules.get("torch")
    if torch is None:
        return found
    found["torch"] = str(torch.__version__)
    for name in ("cuda", "hip"):
        version = getattr(getattr(torch, "version", None), name, None)
        if version:
            found[name] = str(version)
    kind = (device or "cpu").partition(":")[0]
    own = getattr(torch, kind, None)
    for name, ask in (("device_name", "get_device_name"), ("device_count", "device_count")):
        if own is not None and kind != "cpu" and hasattr(own, ask):
            try:
                found[name] = getattr(own, ask)()
            except Exception as error:
                found[name + "_error"] = str(error)
    for module in ("torch_neuronx", "torch_xla"):
        if module in sys.modules:
            found[module] = str(getattr(sys.modules[module], "__version__", "unknown"))
    return found


def main() -> None:
    """Call the user's step: first once, then to warm up, then in repeats that the parent asks for."""
    plan = json.loads(sys.argv[1])
    # Ctrl-C reaches the whole group of processes; the parent decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    events = os.fdopen(plan["events"], "w", buffering=1)
    control = os.fdopen(plan["control"], "rb", buffering=0)

    def tell(**event: object) -> None:
        events.write(json.dumps(event) + "\n")
        events.flush()

    sys.path[0] = os.getcwd()
    sys.argv = [plan["target"]]
    device = plan["device"]
    os.environ["PERDOLLAR_DEVICE"] = device
    try:
        module_name, _, name = plan["target"].partition(":")
        step: Any = importlib.import_module(module_name)
        for part in name.split("."):
            step = getattr(step, part)
        if not callable(step):
            raise TypeError(f"{plan['target']} is not callable")
        try:
            takes_device = "device" in inspect.signature(step).parameters
        except (TypeError, ValueError):
            takes_device = False
        call = (lambda: step(device=device)) if takes_device and device else step
        returned: list[Any] = []

        def timed(times: int) -> tuple[float, float]:
            done = 0.0
            start = time.perf_counter()
            for _ in range(times):
                did = _counted(call())
                if plan["units"] is not None:
                    returned[:] = [] if did in (None, plan["units"]) else [did]
                    did = plan["units"]
                if did is None:
                    raise TypeError("the step does not return how many units it did; give --units-per-call")
                done += did
            wait()
            return time.perf_counter() - start, done

        # What to wait for is known once the user's code has loaded PyTorch.
        wait: Callable[[], object] = int
        first, _ = timed(1)
        wait = _synchronizer(device)
        wait()
        seconds = first
        for _ in range(plan["warm_up"]):
            seconds = min(seconds, timed(1)[0])
        # Very short calls are timed together: the clock has its own grain.
        times = max(1, min(10_000, int(plan["least_seconds"] / max(seconds, 1e-7))))
        notes = _notes(plan, returned, takes_device)
        tell(event="ready", first=first, calls=times, environment=_environment(device), notes=notes)
        while control.read(1) == b"g":
            seconds, done = timed(times)
            tell(event="repeat", seconds=seconds, units=done)
    except BaseException as error:  # the parent tells it, whatever it is
        tell(event="failed", error=f"{type(error).__name__}: {error}")
        raise


if __name__ == "__main__":
    main()
