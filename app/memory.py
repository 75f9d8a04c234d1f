"""The collector of cyclic garbage in a server: what lasts is not looked through again and again.

Modules, schemas, templates and the price table are some 130,000 objects. A full collection goes through all of them,
about 100 ms in which nobody is answered, and under load there is one every few seconds.
"""

from __future__ import annotations

import gc


def settle() -> None:
    """Take what there is now for lasting: later collections leave it out."""
    gc.collect()
    gc.freeze()


def stir() -> bool:
    """Let everything be collected again, such as a table that is out of use; return whether `settle` was called before.

    Some of it is still in use for a moment, so that settling again has to wait.
    """
    settled = gc.get_freeze_count() > 0
    gc.unfreeze()
    return settled
