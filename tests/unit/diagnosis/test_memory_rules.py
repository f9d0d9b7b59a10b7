"""The rules on memory and graphs: each fires on its line, is silent on a near miss, abstains."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.rule import Evaluate
from stepscope.diagnosis.rules import (
    checkpoint_blocks,
    float32_logits,
    fragmentation,
    graph_in_evaluation,
    held_tensors,
    kept_graph,
    memory_limit,
    memory_requests,
    old_results,
    optimizer_peak,
    optimizer_state,
    retain_graph,
    small_batch,
    zero_filled_gradients,
)
from tests.factories import TARGET, categories, line, line_of
from tests.factories import memory as profiled
from tests.unit.diagnosis.builders import FORWARD, PRINT, breakdown, cpu, facts
from tests.unit.diagnosis.builders.graphs import graphs, kept, unused, zero_fill
from tests.unit.diagnosis.builders.loaders import loader, loaders
from tests.unit.diagnosis.builders.memory import GB, memory, optimizer, requests
from tests.unit.diagnosis.builders.precision import precision, typed

RULES = (
    checkpoint_blocks, float32_logits, fragmentation, graph_in_evaluation, held_tensors, kept_graph,
    memory_limit, memory_requests, old_results, optimizer_peak, optimizer_state, retain_graph,
    small_batch, zero_filled_gradients,
)  # fmt: skip
STEP = line_of("opt.step()")
BACKWARD = line_of("loss.backward()")


def only(evaluate: Evaluate, *given: object, **fields: Any) -> Finding:
    (found,) = evaluate(facts(*given, **fields))
    return found


def none(evaluate: Evaluate, *given: object, **fields: Any) -> bool:
    return evaluate(facts(*given, **fields)) == ()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.NAME)
def test_without_recorded_memory_and_graphs_every_rule_abstains(rule: Any) -> None:
    assert none(rule.evaluate)
    assert none(rule.evaluate, cpu())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.NAME)
def test_a_tuned_step_with_room_is_left_alone(rule: Any) -> None:
    given = (memory(optimizers=(optimizer(),)), graphs(), loaders(loader()), precision(typed()))
    assert none(rule.evaluate, *given)
    on_cpu = memory(device_bytes=None, reserved_bytes=None, retries=None)
    assert none(rule.evaluate, cpu(), on_cpu, *given[1:])


# -- memory-limit -------------------------------------------------------------------------------


def holding(number: int, size: int, **fields: Any) -> Any:
    parts = categories(**({"activation": size} | fields))
    return line(number, 1.0, live_at_peak_bytes=parts.total, categories=parts)


def test_memory_limit_stands_on_the_line_that_holds_most() -> None:
    lines = (holding(FORWARD, 20 * GB), holding(PRINT, 50 * GB))
    found = only(memory_limit.evaluate, memory(peak_bytes=92 * GB), lines=lines)
    assert (found.line, found.severity) == (PRINT, Severity.INFORMATION)
    assert found.evidence["share"] == 0.92
    assert f"line {PRINT} of train.py (50 GB), line {FORWARD} of train.py (20 GB)" in found.message
    found = only(memory_limit.evaluate, memory(peak_bytes=98 * GB), lines=lines)
    assert found.severity is Severity.WARNING
    assert none(memory_limit.evaluate, memory(peak_bytes=89 * GB), lines=lines)
    assert none(memory_limit.evaluate, memory(peak_bytes=98 * GB))  # no line is known


# -- checkpoint-blocks --------------------------------------------------------------------------

BLOCKS = """\
import torch
class Net(torch.nn.Module):
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        for layer in self.layers:
            x = self.other(x)
        return x
"""


def deep(calls: float = 12.0, share: float = 0.9, activation: float = 0.6) -> dict[str, Any]:
    peak = int(100 * GB * share)
    parts = categories(activation=int(peak * activation), parameter=peak)
    return {
        "lines": (line(5, 1.0, calls=calls), line(7, 1.0, calls=40.0)),
        "sources": {TARGET: BLOCKS},
        "memory": profiled(peak, categories=parts),
    }


def test_checkpoint_blocks_stands_on_the_call_of_the_loops_block() -> None:
    found = only(checkpoint_blocks.evaluate, memory(peak_bytes=90 * GB), **deep())
    assert (found.line, found.gain_ms) == (5, None)
    assert found.evidence["repeats"] == 12.0


def test_checkpoint_blocks_is_silent_with_room_few_activations_or_few_blocks() -> None:
    rule = checkpoint_blocks.evaluate
    assert none(rule, memory(peak_bytes=79 * GB), **deep(share=0.79))
    assert none(rule, memory(peak_bytes=90 * GB), **deep(activation=0.4))
    assert none(rule, memory(peak_bytes=90 * GB), **deep(calls=2.0))
    assert none(rule, memory(peak_bytes=90 * GB, device_bytes=None), **deep())


# -- small-batch --------------------------------------------------------------------------------

IDLE = breakdown(overhead=0.4, idle=0.2, compute=0.4)


def test_small_batch_stands_where_the_loader_is_made() -> None:
    found = only(
        small_batch.evaluate, memory(peak_bytes=GB), graphs(), loaders(loader()), breakdown=IDLE
    )
    assert (found.line, found.gain_ms, found.evidence["batch_size"]) == (FORWARD, None, 32)


def test_small_batch_is_silent_about_inference_waits_and_full_memory() -> None:
    rule, given = small_batch.evaluate, (memory(peak_bytes=GB), loaders(loader()))
    assert none(rule, *given, graphs(backward_lines=()), breakdown=IDLE)
    waiting = breakdown(overhead=0.6, data=0.1)
    assert none(rule, *given, graphs(), breakdown=waiting)
    assert none(rule, *given, graphs(), breakdown=breakdown(overhead=0.49))
    assert none(rule, memory(), loaders(loader()), graphs(), breakdown=IDLE)
    two = loaders(loader(), loader())
    assert none(rule, memory(peak_bytes=GB), two, graphs(), breakdown=IDLE)
    on_cpu = memory(device_bytes=None)
    assert none(rule, on_cpu, loaders(loader()), graphs(), breakdown=IDLE)


# -- kept-graph ---------------------------------------------------------------------------------

LIST = "for x in xs:\n    loss = net(x)\n    values.append(loss)\n    other.append(loss.item())\n"


def test_kept_graph_stands_on_the_sum() -> None:
    found = only(kept_graph.evaluate, graphs(kept=kept()))
    assert (found.line, found.severity) == (FORWARD, Severity.WARNING)
    assert found.evidence == {"kind": "sum", "additions": 20, "growth_per_step": 1.0}


def test_kept_graph_finds_the_list_that_the_steps_result_goes_to() -> None:
    growing = kept(sum_growth=0.0, tensor_growth=1.0, tensor_lines=((TARGET, 2),))
    lines = tuple(line(number, 1.0) for number in (2, 3, 4))
    given = {"lines": lines, "sources": {TARGET: LIST}}
    found = only(kept_graph.evaluate, graphs(kept=growing), **given)
    assert (found.line, found.evidence["kind"]) == (3, "list")
    elsewhere = kept(sum_growth=0.0, tensor_growth=1.0, tensor_lines=((TARGET, 1),))
    assert none(kept_graph.evaluate, graphs(kept=elsewhere), **given)


def test_kept_graph_is_silent_about_what_does_not_grow_and_abstains() -> None:
    rule = kept_graph.evaluate
    assert none(rule, graphs(kept=kept(sum_growth=0.0)))
    assert none(rule, graphs(kept=kept(sum_length=2)))
    assert none(rule, graphs(kept=kept(sum_growth=0.5)))
    assert none(rule, graphs(kept=None))
    assert none(rule, graphs(kept=kept(sum_line=None)))


# -- held-tensors -------------------------------------------------------------------------------


def growing(size: int = GB, grows: float = 1.0, **fields: Any) -> Any:
    held = (((TARGET, FORWARD), size),)
    return memory(**({"held": held, "growth_bytes": size * grows} | fields))


def test_held_tensors_stands_on_the_line_that_makes_them() -> None:
    found = only(held_tensors.evaluate, growing())
    assert (found.line, found.severity) == (FORWARD, Severity.INFORMATION)
    assert found.evidence["share_of_peak"] == 0.025
    assert only(held_tensors.evaluate, growing(3 * GB)).severity is Severity.WARNING


def test_held_tensors_is_silent_about_little_about_what_replaces_and_about_graphs() -> None:
    rule = held_tensors.evaluate
    assert none(rule, growing(GB // 4))
    assert none(rule, growing(grows=0.4))
    assert none(rule, growing(), graphs(kept=kept()))
    assert none(rule, memory(held=None))


# -- retain-graph -------------------------------------------------------------------------------

RETAINED = "for x in xs:\n    loss = f(x)\n    loss.backward(retain_graph=True)\n"


def retained(source: str = RETAINED) -> dict[str, Any]:
    return {"lines": (line(2, 1.0), line(3, 1.0)), "sources": {TARGET: source}}


def test_retain_graph_stands_on_the_call() -> None:
    found = only(retain_graph.evaluate, graphs(outliving_bytes=4 * GB), memory(), **retained())
    assert (found.line, found.severity) == (3, Severity.INFORMATION)
    assert found.evidence["share_of_peak"] == 0.1


def test_retain_graph_is_silent_where_the_graph_is_used_again_or_small_or_wanted() -> None:
    rule, much = retain_graph.evaluate, {"outliving_bytes": 4 * GB}
    assert none(rule, graphs(passed_again=3.0, **much), memory(), **retained())
    assert none(rule, graphs(outliving_bytes=GB), memory(), **retained())
    plain = RETAINED.replace("retain_graph=True", "")
    assert none(rule, graphs(**much), memory(), **retained(plain))
    created = RETAINED.replace("True", "True, create_graph=True")
    assert none(rule, graphs(**much), memory(), **retained(created))
    assert none(rule, graphs(steps=1, **much), memory(), **retained())  # abstains
    assert none(rule, graphs(outliving_bytes=None), memory(), **retained())


# -- zero-filled-gradients ----------------------------------------------------------------------

ZEROS = "for x in xs:\n    opt.zero_grad(set_to_none=False)\n    opt.zero_grad()\n"


def test_zero_filled_gradients_counts_filling_and_adding() -> None:
    given = graphs(zero_fills=(zero_fill(2),))
    found = only(zero_filled_gradients.evaluate, given, sources={TARGET: ZEROS})
    assert (found.line, found.gain_ms) == (2, (0.0, 3.0))
    assert found.severity is Severity.WARNING
    both = graphs(zero_fills=(zero_fill(2), zero_fill(2)))
    shared = zero_filled_gradients.evaluate(facts(both, sources={TARGET: ZEROS}))
    assert [f.gain_ms for f in shared] == [(0.0, 2.5)] * 2


def test_zero_filled_gradients_is_silent_about_little_and_about_the_default() -> None:
    rule = zero_filled_gradients.evaluate
    small = graphs(zero_fills=(zero_fill(2, ms=0.5, adding_ms=0.3),))
    assert none(rule, small, sources={TARGET: ZEROS})
    assert none(rule, graphs(zero_fills=(zero_fill(3),)), sources={TARGET: ZEROS})


# -- fragmentation and memory-requests ----------------------------------------------------------


def test_fragmentation_stands_where_torch_is_imported() -> None:
    found = only(fragmentation.evaluate, memory(peak_bytes=20 * GB, reserved_bytes=41 * GB))
    assert (found.line, found.evidence["ratio"]) == (1, 2.05)
    assert none(fragmentation.evaluate, memory(peak_bytes=22 * GB, reserved_bytes=41 * GB))
    assert none(fragmentation.evaluate, memory(peak_bytes=10 * GB, reserved_bytes=29 * GB))
    assert none(fragmentation.evaluate, memory(reserved_bytes=None))


def test_memory_requests_stands_on_the_line_that_asks_longest() -> None:
    asked = (requests(ms=1.0), requests(line=(TARGET, PRINT), ms=1.5))
    found = only(memory_requests.evaluate, memory(requests=asked))
    assert (found.line, found.gain_ms) == (PRINT, (0.0, 2.5))
    assert found.severity is Severity.INFORMATION
    found = only(memory_requests.evaluate, memory(requests=asked, retries=0.5))
    assert found.severity is Severity.WARNING
    assert "0.5 times per step it found nothing" in found.message


def test_memory_requests_is_silent_about_little_and_about_a_cache_emptied_by_hand() -> None:
    rule = memory_requests.evaluate
    assert none(rule, memory(requests=(requests(ms=0.8),)))
    emptied = {TARGET: "torch.cuda.empty_cache()\n"}
    assert none(rule, memory(requests=(requests(),)), sources=emptied)
    assert none(rule, memory(requests=(requests(),), retries=None))
    assert none(rule, cpu(), memory(requests=(requests(),)))


# -- graph-in-evaluation ------------------------------------------------------------------------


def test_graph_in_evaluation_stands_on_the_statement_of_the_loop() -> None:
    found = only(graph_in_evaluation.evaluate, graphs(unused=(unused(),)))
    assert (found.line, found.gain_ms) == (FORWARD, None)
    assert found.evidence["nodes"] == 12.0


@pytest.mark.parametrize(
    "graph", [unused(ms=2.9), unused(unused=10.0), unused(nodes=1.0, unused=1.0)]
)
def test_graph_in_evaluation_is_silent_about_metrics_and_small_parts(graph: Any) -> None:
    assert none(graph_in_evaluation.evaluate, graphs(unused=(graph,)))


# -- the optimizer ------------------------------------------------------------------------------


def test_optimizer_state_stands_where_the_optimizer_is_made() -> None:
    full = {"peak_bytes": 90 * GB}
    large = optimizer(state_bytes=40 * GB)
    found = only(optimizer_state.evaluate, memory(optimizers=(optimizer(), large), **full))
    assert (found.line, found.evidence["state_bytes"]) == (FORWARD, 40 * GB)
    assert none(optimizer_state.evaluate, memory(optimizers=(optimizer(),), **full))
    assert none(optimizer_state.evaluate, memory(peak_bytes=70 * GB, optimizers=(large,)))
    unknown = optimizer(state_bytes=40 * GB, line=None)
    assert none(optimizer_state.evaluate, memory(optimizers=(unknown,), **full))


def at_step(temporary: int, peak: int = STEP) -> dict[str, Any]:
    return {
        "lines": (holding(STEP, 0, temporary=temporary),),
        "memory": profiled(40 * GB, peak_line=(TARGET, peak)),
    }


def test_optimizer_peak_stands_where_the_optimizer_is_made_else_where_it_steps() -> None:
    given = memory(optimizers=(optimizer(),))
    found = only(optimizer_peak.evaluate, given, **at_step(10 * GB))
    assert (found.line, found.severity) == (FORWARD, Severity.WARNING)
    given = memory(optimizers=(optimizer(line=None),))
    found = only(optimizer_peak.evaluate, given, **at_step(5 * GB))
    assert (found.line, found.severity) == (STEP, Severity.INFORMATION)


def test_optimizer_peak_is_silent_elsewhere_about_little_and_where_it_is_fused() -> None:
    rule = optimizer_peak.evaluate
    given = memory(optimizers=(optimizer(),))
    assert none(rule, given, **at_step(3 * GB))
    assert none(rule, given, **at_step(10 * GB, peak=BACKWARD))
    assert none(rule, memory(optimizers=(optimizer(fused=True),)), **at_step(10 * GB))
    assert none(rule, memory(optimizers=(optimizer(can_fuse=False),)), **at_step(10 * GB))


# -- float32-logits and old-results -------------------------------------------------------------


def scores(words: int = 50_000, dtype: str = "float32") -> Any:
    return typed(
        PRINT,
        operator="aten::_log_softmax",
        matmul=False,
        dtypes=(dtype,),
        shapes=((65_536, words),),
    )


def test_float32_logits_stands_on_the_loss() -> None:
    given = (precision(scores()), memory(peak_bytes=85 * GB))
    found = only(float32_logits.evaluate, *given)
    assert found.line == PRINT
    assert found.evidence["logits_bytes"] == 2 * 4 * 65_536 * 50_000


def test_float32_logits_is_silent_with_room_few_classes_or_half_precision() -> None:
    rule, full = float32_logits.evaluate, memory(peak_bytes=85 * GB)
    assert none(rule, precision(scores()), memory(peak_bytes=79 * GB))
    assert none(rule, precision(scores(words=4000)), full)
    assert none(rule, precision(scores(words=30_000)), full)  # under a quarter of the peak
    assert none(rule, precision(scores(dtype="bfloat16")), full)
    assert none(rule, precision(scores()), memory(peak_bytes=85 * GB, device_bytes=None))


def test_old_results_stands_on_the_line_that_lets_go() -> None:
    old = (((TARGET, FORWARD), 5 * GB), ((TARGET, PRINT), 3 * GB))
    found = only(old_results.evaluate, memory(old=old))
    assert (found.line, found.severity) == (FORWARD, Severity.INFORMATION)
    assert found.evidence["share_of_peak"] == 0.125
    assert none(old_results.evaluate, memory(old=(((TARGET, FORWARD), 3 * GB),)))
    # What a graph keeps is retain-graph's to say.
    assert none(old_results.evaluate, memory(old=old), **retained())
