"""The risks that an edit may carry: what the user accepts with `--accept`, when it was not proven from the source."""

from __future__ import annotations

from ..records import record


@record(frozen=True, slots=True)
class Risk:
    """`unproven` is what could not be shown about the program; `failure` what happens if it is not so."""

    name: str
    unproven: str
    failure: str


RISKS = (
    Risk(
        "batch-type",
        "that a batch is made of dense CPU tensors, numbers and strings in tuples, lists and dicts",
        "A worker cannot send the batch to the training process, or pinning passes it over in silence or raises.",
    ),
    Risk(
        "cuda-in-workers",
        "that neither the item code nor the collate function touches the GPU",
        "A forked worker stops with `Cannot re-initialize CUDA in forked subprocess`; a spawned one holds GPU memory.",
    ),
    Risk(
        "debugging",
        "that a check or a synchronisation is not there on purpose, to find an error or to guard a value that is read",
        "The error that it was meant to catch goes unseen, or a timing that it made honest becomes wrong.",
    ),
    Risk(
        "device-unknown",
        "that the program runs on CUDA, or on CUDA with the CPU as its fallback",
        "On MPS and some other devices an asynchronous copy can deliver garbage without a word.",
    ),
    Risk(
        "exception-type",
        "that nothing around the loop catches an exception by the type that the item code raises",
        "An exception from a worker arrives with a longer message and perhaps as another type, so `except` misses it.",
    ),
    Risk(
        "explicit-zero",
        "that the 0 was left there by habit and not chosen",
        "Somebody had a reason for loading in the training process, such as a debugger or a small machine.",
    ),
    Risk(
        "fork-after-cuda",
        "that no process is forked, after CUDA is asked whether it is there, whose child uses CUDA",
        "The child stops with `Cannot re-initialize CUDA in forked subprocess`.",
    ),
    Risk(
        "import-side-effects",
        "that importing the main module a second time does nothing but define things",
        "Under spawn and forkserver every worker imports it again: files are truncated, runs are logged twice.",
    ),
    Risk(
        "log-cadence",
        "that nobody needs a log line for every step",
        "The log has fewer points, or shows them later than before.",
    ),
    Risk(
        "memory",
        "that the memory suffices for another copy of the dataset, for more batches in flight or for a larger batch",
        "The run is killed for memory, on the host, in /dev/shm or on the GPU.",
    ),
    Risk(
        "missing-main-guard",
        'that the program starts its loop under `if __name__ == "__main__":`',
        "Where workers are spawned (Windows, macOS, Python 3.14) the start fails with a RuntimeError about bootstrapping.",
    ),
    Risk(
        "nested-processes",
        "that the loop does not run inside a daemon, a pool's worker or a program with threads",
        "Starting workers fails with `daemonic processes are not allowed to have children`, or a fork hangs.",
    ),
    Risk(
        "numerics",
        "that the arithmetic stays the same to the last bit",
        "Results differ by rounding: the same quality, but not the same numbers as before.",
    ),
    Risk(
        "optimisation",
        "that learning rate, steps in an epoch and optimiser state may change together with the batch",
        "The model trains differently and may need another learning rate.",
    ),
    Risk(
        "option-default",
        "that nobody relies on the old default of a command-line option",
        "A script or a colleague who never gave the option gets another value from now on.",
    ),
    Risk(
        "process-local-state",
        "that the dataset holds no open file, archive, database or lock from before the workers start",
        "Workers share one file position or connection: samples are mixed up, reads fail or hang.",
    ),
    Risk(
        "process-wide-setting",
        "that workers need nothing that is set only while the program runs, and nobody else relies on the setting",
        "A spawned worker sees the defaults: another dtype, a missing codec, a global as it was at the start. Every worker has "
        "one thread, so sums over many numbers may be rounded differently.",
    ),
    Risk(
        "random-stream",
        "that the item code draws no random numbers from the global generators of a seeded program",
        "Workers draw from streams of their own: the run is as random as before, but not the same run for the same seed.",
    ),
    Risk(
        "repeated-random",
        "that the dataset keeps no random generator of its own",
        "Every worker starts with a copy of it, so the same augmentations come several times.",
    ),
    Risk(
        "sampler-runs-ahead",
        "that the loop neither feeds its sampler nor reads how far it is",
        "With workers the sampler is asked for batches early: feedback comes late, a saved position is too far on.",
    ),
    Risk(
        "shared-iterator",
        "that only one loop at a time goes through the loader",
        "Persistent workers are one set: a second loop over the loader resets the first.",
    ),
    Risk(
        "shuffle-order",
        "that the order of the samples under a seed does not matter",
        "Samples come in another order than before: an equally good run, but not the same numbers.",
    ),
    Risk(
        "source-reused",
        "that the tensor on the host is not written again before the copy has left it",
        "The GPU may receive the next values, or half of each.",
    ),
    Risk(
        "stateful-dataset",
        "that nothing is stored in the dataset while it is read, or changed in it after the loader was made",
        "Workers keep their own copies: counters stay at zero, caches are filled once per worker, `set_epoch` is missed.",
    ),
    Risk(
        "type-change",
        "that every use of the number also works with a tensor",
        "A sum that was a float is a tensor: it is no key, does not serialise and prints differently.",
    ),
    Risk(
        "unknown-dataset",
        "what the dataset does: its class was not found, or not all that it wraps",
        "Whatever the other risks of worker processes name.",
    ),
    Risk(
        "unknown-receiver",
        "that what is copied is a tensor and takes `non_blocking`",
        "The call raises a TypeError, at the latest in the first step.",
    ),
    Risk(
        "unpicklable",
        "that dataset, transforms and collate function can be pickled",
        "Where workers are spawned (Windows, macOS, Python 3.14) the start fails: lambdas and local functions do not travel.",
    ),
)
"""Every risk, by its name."""

BY_NAME = {risk.name: risk for risk in RISKS}
