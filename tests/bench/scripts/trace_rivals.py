"""One trace read and analysed by another tool: ``trace_rivals.py hta|tb TRACE``.

What is asked for is what ``stepscope open`` gives as well: the breakdown of the step.
"""

import sys
import tempfile

tool, trace = sys.argv[1:]
if tool == "hta":
    from hta.trace_analysis import TraceAnalysis

    analysis = TraceAnalysis(trace_files={0: trace})
    print(analysis.get_temporal_breakdown(visualize=False))
    print(analysis.get_idle_time_breakdown(visualize=False))
else:
    from torch_tb_profiler.profiler.data import RunProfileData

    data = RunProfileData.parse("worker", "0", trace, tempfile.mkdtemp())
    data.process()
    data.analyze()
    print(data.avg_costs.costs if hasattr(data, "avg_costs") else data)
