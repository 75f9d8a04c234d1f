"""Run all benchmarks, or those named; the names are those of the modules beside this one."""

from __future__ import annotations

import sys

from tests.bench import clustering, files, importing, kernel, process, serving, sweeping, visiting, workers

ALL = {
    "clustering": clustering,
    "kernel": kernel,
    "files": files,
    "importing": importing,
    "process": process,
    "serving": serving,
    "sweeping": sweeping,
    "visiting": visiting,
    "workers": workers,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(ALL)}", file=sys.stderr)
        return 2
    missed = 0
    for name in names or list(ALL):
        for result in ALL[name].run():
            print(result.line(), flush=True)
            missed += not result.met
    return 1 if missed else 0


sys.exit(main(sys.argv[1:]))
