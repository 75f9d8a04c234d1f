"""Reading of result files in any known format: recognised by content, never by name."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from types import ModuleType

from pricing.accelerators import Catalogue
from pricing.benchmarks import (
    aiperf,
    argonne,
    aws_neuron,
    genai_perf,
    guidellm,
    inference_perf,
    inferencex,
    llama_bench,
    llmperf,
    mlperf,
    open_asr,
    optimum_benchmark,
    own_measurement,
    plain_table,
    sglang,
    stt_table,
    trtllm_bench,
    vllm,
)
from pricing.benchmarks.opening import opened, what_is_wrong, without_requests
from pricing.benchmarks.result import AmbiguousNumberError, Findings, distinguish
from pricing.benchmarks.values import broken
from pricing.errors import InvalidInputError, misread
from pricing.sources.document import Document
from pricing.wording import listed, say, word

# Each module has NAME, WHAT (a sentence part for messages), recognises(document) and read(document,
# findings). The first that recognises a document reads it; formats that look like others come first.
FORMATS: tuple[ModuleType, ...] = (
    own_measurement,
    inferencex,
    vllm,
    sglang,
    guidellm,
    inference_perf,
    llmperf,
    trtllm_bench,
    llama_bench,
    optimum_benchmark,
    aiperf,
    genai_perf,
    mlperf,
    aws_neuron,
    open_asr,
    argonne,
    stt_table,
    plain_table,
)
ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".txt", ".log", ".md", ".gz", ".zip")
_BROKEN = (csv.Error, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


def read_benchmark(document: Document, catalogue: Catalogue) -> Findings:
    """Read one file. InvalidInputError says what a file in no known format should be, or why one can't be read."""
    document = opened(document)
    module = _recognised(document)
    if module is None and (shorter := without_requests(document)):
        # Names that tell the format may stand behind hundreds of kilobytes of figures.
        document, module = shorter, _recognised(shorter)
    if module is None:
        wrong = what_is_wrong(document)
        known = listed(word(module.WHAT) for module in FORMATS)
        raise broken(document, wrong or say("is no result file of a known form; these are {known}", known=known))
    findings = Findings(document.name, str(module.NAME), catalogue, document.folders)
    try:
        module.read(document, findings)
    except InvalidInputError:
        raise
    except AmbiguousNumberError as error:
        raise InvalidInputError.at(
            (document.name,), say("{name}: {error}", name=document.name, error=str(error))
        ) from error
    except _BROKEN as error:
        # A file may be broken in more ways than a reader foresees; none of them is the program's fault.
        raise InvalidInputError([misread(document.name, module.WHAT, error)]) from error
    for run in findings.measurements:
        run.check()
    findings.named()
    findings.doubted()
    said = [run for run in findings.measurements if run.rates or any(run.latency_seconds.values())]
    if len(said) < len(findings.measurements):
        findings.warn(
            say(
                "{number} runs have neither a rate nor a latency and are left out",
                number=len(findings.measurements) - len(said),
            )
        )
        findings.measurements = said
    if not findings.measurements:
        reason = f" ({findings.warnings[0]})" if findings.warnings else ""
        raise InvalidInputError.at(
            (document.name,),
            say(
                "{name}: {what}, but no run is in it{reason}", name=document.name, what=word(module.WHAT), reason=reason
            ),
        )
    return findings


def _recognised(document: Document) -> ModuleType | None:
    return next((module for module in FORMATS if module.recognises(document)), None)


def read_benchmarks(
    documents: Iterable[Document], catalogue: Catalogue
) -> tuple[list[dict[str, object]], list[InvalidInputError]]:
    """Read several files: what each gave in the form of the contract, and the errors of those that gave nothing.

    A description of an MLPerf system says on what the summaries beside it were run.
    """
    found: list[Findings] = []
    errors: list[InvalidInputError] = []
    systems: dict[str, dict[str, object]] = {}
    for each in documents:
        try:
            document = opened(each)
            if mlperf.is_system(document):
                systems[document.name.rpartition(".")[0]] = mlperf.system_of(document)
                continue
            found.append(read_benchmark(document, catalogue))
        except InvalidInputError as refused:
            errors.append(refused)
    distinguish(found)
    mlperf.with_systems([each for each in found if each.format == mlperf.NAME], systems)
    if not found and not errors:
        errors.append(InvalidInputError.at(("file",), say("there is no file that could be a benchmark's result")))
    return [
        {
            "file": findings.file,
            "format": findings.format,
            "measurements": [run.as_dict() for run in findings.measurements],
            "missing": findings.missing,
            "warnings": findings.warnings,
        }
        for findings in found
    ], errors
