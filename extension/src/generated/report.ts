// Generated from report.schema.json by `npm run generate`; edit that instead.

/**
 * One profiled run. Times are milliseconds per step unless a description says otherwise, sizes bytes, lines 1-based, paths absolute. A value that was not measured is null, never 0.
 */
export interface StepscopeReport {
  /**
   * Name and version of this format.
   */
  schema: 'stepscope/report/1';
  run: Run;
  /**
   * The step in the clean pass; null where nothing was timed, as in a memory snapshot.
   */
  step_ms: StepTime | null;
  /**
   * Time of a profiled step over that of a clean one: what profiling itself costs. The times in this report are scaled to the clean step. null where it is not known, as in recordings that others made.
   */
  tax: number | null;
  /**
   * Everything analysed, not per step; null where nothing was timed.
   */
  totals: Totals | null;
  /**
   * Shares of the step; null where nothing was timed.
   */
  breakdown: Breakdown | null;
  /**
   * What bounds the step; null where nothing was timed.
   */
  verdict: Verdict | null;
  coverage: Coverage;
  /**
   * Every line that ran in the step, sorted by file and line.
   */
  lines: Line[];
  unattributed: Unattributed;
  /**
   * Part of the work that runs a second time in the backward pass: activation checkpointing. null where it was not measured.
   */
  recomputed_ms: number | null;
  /**
   * Live memory; null where it was not recorded.
   */
  memory: Memory | null;
  /**
   * The ranks of the run side by side; null where one was looked at.
   */
  ranks: Ranks | null;
  /**
   * What slows the step down, most important first.
   */
  findings: Finding[];
  /**
   * What a reader must know about how this was measured, one sentence each.
   */
  notes: string[];
  /**
   * What pictures are drawn from; absent where nobody asked for it, null where no events were recorded.
   */
  charts?: Charts | null;
}
/**
 * What was run, and how its steps were found.
 */
export interface Run {
  /**
   * Absolute path of the script.
   */
  target: string;
  /**
   * Arguments the script was given.
   */
  args: string[];
  /**
   * Python that ran the script; null where a recording does not say.
   */
  python: string | null;
  /**
   * Version of torch there; null where a recording does not say.
   */
  torch: string | null;
  /**
   * "cpu", or the accelerator with its name: "cuda:0 NVIDIA H200".
   */
  device: string;
  /**
   * Start of the run, ISO 8601, UTC; null where a recording does not say.
   */
  started: string | null;
  /**
   * Steps of the clean pass.
   */
  steps: number;
  /**
   * Steps run before it.
   */
  warmup: number;
  /**
   * How steps were found, one sentence.
   */
  boundary: string;
  /**
   * Class of the model that the optimizers hold; empty where none was seen.
   */
  model: string;
  /**
   * The process that made the steps: "main", or a child in words.
   */
  process: string;
  /**
   * How a model that no script ran was made and called; null for a script.
   */
  assumed: Assumed | null;
  /**
   * What the target did to files; null: not watched.
   */
  files: Files | null;
}
/**
 * A constructor and inputs that were not the user's own run, but assumed.
 */
export interface Assumed {
  /**
   * Absolute path of the file with the class.
   */
  file: string;
  /**
   * Line of the class.
   */
  line: number;
  /**
   * The call that made the model, as Python.
   */
  constructor: string;
  /**
   * The arguments of its call, as Python.
   */
  inputs: string;
  /**
   * Where they come from, in words.
   */
  source: string;
}
/**
 * What the target did to files, up to the capture.
 */
export interface Files {
  /**
   * How existing files were kept: a scratch overlay, replaced functions, or not at all.
   */
  guard: 'overlay' | 'functions' | 'off';
  /**
   * Existing files whose writes went to private copies.
   */
  kept: string[];
  /**
   * New files.
   */
  created: string[];
}
/**
 * Wall time of one step in the clean pass, which runs without any profiler (ms).
 */
export interface StepTime {
  /**
   * Median, ms.
   */
  median: number;
  /**
   * 10th percentile, ms.
   */
  p10: number;
  /**
   * 90th percentile, ms.
   */
  p90: number;
  /**
   * What a step takes with its part of all that happens only now and then, ms; null where it is not known.
   */
  mean: number | null;
}
/**
 * Whole analysed windows, not per step.
 */
export interface Totals {
  /**
   * Wall time of everything analysed, ms.
   */
  span_ms: number;
  /**
   * Of it on the step's own thread, ms.
   */
  host_ms: number;
  /**
   * Time the devices were busy, union over streams, summed over devices, ms; null without an accelerator.
   */
  device_busy_ms: number | null;
  /**
   * Time of collectives on the devices inside the steps; null without an accelerator.
   */
  communication_ms: number | null;
  /**
   * The part of it during which the same device computed: what overlaps costs the step nothing.
   */
  hidden_ms: number | null;
}
/**
 * Shares of the step by what bounded each moment; they sum to 1.
 */
export interface Breakdown {
  /**
   * Arithmetic. A share, 0 to 1.
   */
  compute: number;
  /**
   * Memory traffic. A share, 0 to 1.
   */
  memory: number;
  /**
   * Launching operators, Python. A share, 0 to 1.
   */
  overhead: number;
  /**
   * Waiting for input. A share, 0 to 1.
   */
  data: number;
  /**
   * Copies between host and device. A share, 0 to 1.
   */
  copy: number;
  /**
   * The host waiting for the device. A share, 0 to 1.
   */
  sync: number;
  /**
   * Other ranks. A share, 0 to 1.
   */
  communication: number;
  /**
   * Nothing running. A share, 0 to 1.
   */
  idle: number;
  /**
   * Everything else. A share, 0 to 1.
   */
  other: number;
}
/**
 * What bounds the step, with the share that proves it and what causes it.
 */
export interface Verdict {
  /**
   * The largest group of moments of the step; compute and memory are the device's own work, host is launching, Python and idling.
   */
  bound: 'compute' | 'memory' | 'host' | 'data' | 'communication' | 'copy' | 'sync';
  /**
   * Its share of the step.
   */
  share: number;
  /**
   * The same in words.
   */
  sentence: string;
  /**
   * What causes it, the most first; empty where nothing stands out.
   */
  causes: Cause[];
}
/**
 * A function with its line, or an operator where no lines are known.
 */
export interface Cause {
  /**
   * Function or operator.
   */
  name: string;
  /**
   * null for an operator.
   */
  file: string | null;
  /**
   * null for an operator.
   */
  line: number | null;
  /**
   * Milliseconds per step of what bounds it.
   */
  ms: number;
}
/**
 * How much is known to the line.
 */
export interface Coverage {
  /**
   * Of the step's time, what has an exact user line. A share, 0 to 1; null where nothing was timed.
   */
  host: number | null;
  /**
   * Of operator time, what has an exact user line. A share, 0 to 1; null where no operator was recorded.
   */
  work: number | null;
}
/**
 * One executing source line. cost_ms, host_ms and work_ms are three ledgers, never to be added to one another.
 */
export interface Line {
  /**
   * Absolute path.
   */
  file: string;
  /**
   * 1-based line.
   */
  line: number;
  /**
   * Qualified name of the function it belongs to.
   */
  function: string;
  /**
   * Times the line ran per step; null where nothing was timed.
   */
  calls: number | null;
  /**
   * The line's part of the step, ms: every moment of the step has exactly one owner, a backward operator's owner being its forward line. All lines plus unattributed are the step; null where nothing was timed.
   */
  cost_ms: number | null;
  /**
   * Wall time of the step's thread while this was the innermost user line, ms; null where nothing was timed.
   */
  host_ms: number | null;
  /**
   * Compute this line caused, wherever it ran, ms: device busy time with an accelerator, else operator time. forward_ms + backward_ms; null where no operator was recorded.
   */
  work_ms: number | null;
  /**
   * Of work_ms, in the forward pass; null where no operator was recorded.
   */
  forward_ms: number | null;
  /**
   * Of work_ms, in the backward pass; null where no operator was recorded.
   */
  backward_ms: number | null;
  /**
   * Time the device had nothing to do while the host was on this line, ms; null without an accelerator.
   */
  device_idle_ms: number | null;
  wait_ms: Waits;
  /**
   * Bytes allocated by this line per step, or over the whole recording where it has no steps; null where not recorded.
   */
  allocated_bytes: number | null;
  /**
   * Of the live bytes at the peak, those this line allocated; null where not recorded.
   */
  live_at_peak_bytes: number | null;
  /**
   * live_at_peak_bytes by what they are for; null where not recorded.
   */
  categories: Categories | null;
  /**
   * Floating-point operations per step; null where unknown.
   */
  flops: number | null;
  /**
   * Bytes read and written per step; null where unknown.
   */
  bytes_moved: number | null;
  /**
   * Kernels launched per step, or operators without an accelerator; null where not counted.
   */
  launches: number | null;
  /**
   * What bounds the line: arithmetic, memory traffic or launching; null where unknown.
   */
  regime: 'compute' | 'memory' | 'overhead' | null;
  /**
   * Measured time over what that bound allows, ms; null where unknown.
   */
  headroom_ms: number | null;
  /**
   * Wall time of this line in one of a DataLoader's worker processes, ms per batch; beside the step and no part of its times. null where it was not seen to run there.
   */
  worker_ms: number | null;
  /**
   * How often the line runs in a worker process, per batch; null where it was not seen to run there.
   */
  worker_calls: number | null;
  /**
   * true: the executing line; false: only the function's line is known, as in recorded traces.
   */
  exact: boolean;
  /**
   * Lines whose work ran in the same fused kernels.
   *
   * Items: 1-based line.
   */
  fused_with: number[];
  /**
   * Its operators, most expensive first.
   */
  ops: Op[];
}
/**
 * The part of host_ms during which the host only waited, ms per step.
 */
export interface Waits {
  /**
   * Waiting for input, ms per step; null where not measured.
   */
  data: number | null;
  /**
   * Waiting for the device, ms per step; null where not measured.
   */
  sync: number | null;
  /**
   * Waiting for a copy, ms per step; null where not measured.
   */
  copy: number | null;
  /**
   * Waiting for other ranks, ms per step; null where not measured.
   */
  communication: number | null;
}
/**
 * Bytes by what the memory is for.
 */
export interface Categories {
  /**
   * Bytes of parameters.
   */
  parameter: number;
  /**
   * Bytes of gradients.
   */
  gradient: number;
  /**
   * Bytes of optimizer state.
   */
  optimizer: number;
  /**
   * Bytes of activations kept for backward.
   */
  activation: number;
  /**
   * Bytes of input.
   */
  input: number;
  /**
   * Bytes of everything else.
   */
  temporary: number;
}
/**
 * One operator on one line.
 */
export interface Op {
  /**
   * Operator or kernel.
   */
  name: string;
  /**
   * Calls per step.
   */
  calls: number;
  /**
   * Its compute, ms per step.
   */
  work_ms: number;
  /**
   * Shapes of its inputs, as text; null where not recorded.
   */
  shapes: string | null;
  /**
   * Types of its inputs, as text; null where not recorded.
   */
  dtypes: string | null;
  /**
   * Whether it ran in the backward pass.
   */
  backward: boolean;
}
/**
 * What has no user line, in the units of the lines, with the names it goes by.
 */
export interface Unattributed {
  /**
   * Part of the step, ms; null where nothing was timed.
   */
  cost_ms: number | null;
  /**
   * Wall time of the step's thread, ms; null where nothing was timed.
   */
  host_ms: number | null;
  /**
   * Compute, ms; null where no operator was recorded.
   */
  work_ms: number | null;
  /**
   * Operators without a line.
   */
  ops: Op[];
}
/**
 * Live memory on the model's device: over one step of a run, or over the whole of a recording that was opened.
 */
export interface Memory {
  /**
   * Most live bytes at any instant.
   */
  peak_bytes: number;
  /**
   * Bytes that the caching allocator held; null without one.
   */
  reserved_bytes: number | null;
  /**
   * The line that reached the peak; null where it has none.
   */
  peak_line: LineRef | null;
  /**
   * The peak by what its memory is for; null where a recording does not tell.
   */
  categories: Categories | null;
  /**
   * Live bytes over the step or the recording, in order.
   */
  timeline: MemoryPoint[];
  /**
   * Of the peak, bytes allocated before the recording began, whose line is not known; null where that is not told apart.
   */
  before_bytes: number | null;
}
/**
 * A place in a source.
 */
export interface LineRef {
  /**
   * Absolute path.
   */
  file: string;
  /**
   * 1-based line.
   */
  line: number;
}
/**
 * Live bytes at one instant.
 */
export interface MemoryPoint {
  /**
   * Milliseconds after the start of the step or the recording.
   */
  at_ms: number;
  /**
   * Live bytes.
   */
  live_bytes: number;
}
/**
 * The ranks of one run side by side.
 */
export interface Ranks {
  /**
   * How many ranks the run had; null where no recording tells.
   */
  world_size: number | null;
  /**
   * Ranks of the run of which nothing was found.
   */
  missing: number[];
  /**
   * Those that were read, by rank.
   */
  ranks: RankCost[];
  /**
   * Collectives that all ranks made, the longest waited for first.
   */
  collectives: Collective[];
  /**
   * Lines whose cost differs between ranks, most first.
   */
  lines: LineSkew[];
  /**
   * Ranks that are missing, left out, or of another run.
   */
  notes: string[];
}
/**
 * One rank; times in milliseconds per step.
 */
export interface RankCost {
  /**
   * Its number.
   */
  rank: number;
  /**
   * The recording.
   */
  path: string;
  /**
   * Where it ran.
   */
  device: string;
  /**
   * Steps in the recording.
   */
  steps: number;
  /**
   * Median step.
   */
  step_ms: number;
  breakdown: Breakdown;
  /**
   * What it waited for others in collectives; null where none could be matched.
   */
  waited_ms: number | null;
  /**
   * What the others waited for it.
   */
  late_ms: number | null;
}
/**
 * One kind of collective as all ranks saw it; times in milliseconds per step.
 */
export interface Collective {
  /**
   * Its operator.
   */
  name: string;
  /**
   * Calls per step that could be matched over all ranks.
   */
  calls: number;
  /**
   * What the rank that came last took.
   */
  transfer_ms: number;
  /**
   * How much longer the first took, since it waited.
   */
  wait_ms: number;
  /**
   * The rank that came last most often.
   */
  late_rank: number;
  /**
   * In which share of the calls.
   */
  late_share: number;
  /**
   * The line on which it spent longer than the others before that; null where no lines are known.
   */
  late_line: LineRef | null;
  /**
   * The function of that line, or the operator; empty where nothing stands out.
   */
  doing: string;
}
/**
 * A line whose cost differs between ranks; times in milliseconds per step.
 */
export interface LineSkew {
  /**
   * Path of the source file.
   */
  file: string;
  /**
   * 1-based.
   */
  line: number;
  /**
   * Function it is in.
   */
  function: string;
  /**
   * On the rank where it costs least.
   */
  low_ms: number;
  /**
   * On the rank where it costs most.
   */
  high_ms: number;
  /**
   * That rank.
   */
  slowest_rank: number;
}
/**
 * One bottleneck, on the line a person would edit.
 */
export interface Finding {
  /**
   * Name of the rule that found it.
   */
  rule: string;
  /**
   * Absolute path.
   */
  file: string;
  /**
   * 1-based line.
   */
  line: number;
  /**
   * Last line of the statement, 1-based.
   */
  end_line: number;
  /**
   * warning: a large measured share of the step; information: a smaller one; hint: real, but its cost cannot be measured on this machine.
   */
  severity: 'warning' | 'information' | 'hint';
  /**
   * What happens and what to do, in words.
   */
  message: string;
  /**
   * The measurements behind it; each name carries its unit.
   */
  evidence: {
    [k: string]: number | string;
  };
  /**
   * Least and most that the fix would save, ms per step; null where no bound can be computed.
   */
  gain_ms: [number, number] | null;
  /**
   * Where the gain comes from, one sentence; empty where the rule's page says it.
   */
  gain_source: string;
  /**
   * The edit that would act on it; null where there is no safe one.
   */
  fix: Fix | null;
  /**
   * What the fix gained when it was measured; null where it was not.
   */
  trial: Trial | null;
  /**
   * Other lines of the same cause.
   */
  related: Related[];
}
/**
 * A set of edits, or, where edits is empty, advice in words.
 */
export interface Fix {
  /**
   * What it does, for a menu.
   */
  title: string;
  /**
   * Edits of the sources as they were measured.
   */
  edits: Edit[];
}
/**
 * Replace the text from start up to end (exclusive) by new_text. Columns are 0-based and count Unicode code points.
 */
export interface Edit {
  /**
   * Absolute path.
   */
  file: string;
  /**
   * 1-based line.
   */
  start_line: number;
  /**
   * 0-based column.
   */
  start_column: number;
  /**
   * 1-based line.
   */
  end_line: number;
  /**
   * 0-based column, exclusive.
   */
  end_column: number;
  /**
   * What to put there.
   */
  new_text: string;
}
/**
 * A fix that was measured: the step before and after it, same arguments, device and steps.
 */
export interface Trial {
  before_ms: StepTime;
  after_ms: StepTime;
  /**
   * What the median step lost; negative where it got slower.
   */
  gained_ms: number;
  /**
   * What steps differ by anyway.
   */
  spread_ms: number;
  /**
   * Whether the difference is more than the spread.
   */
  differs: boolean;
}
/**
 * Another line of a finding's cause.
 */
export interface Related {
  /**
   * Absolute path.
   */
  file: string;
  /**
   * 1-based line.
   */
  line: number;
  /**
   * What the line has to do with it.
   */
  message: string;
}
/**
 * Pictures of the step, in columns: entry i of each column of a lane or a tree is about the same span or node.
 */
export interface Charts {
  /**
   * Every text, once. Columns called name hold indices into it.
   */
  names: string[];
  /**
   * Every line, once. Columns called place hold indices into it, -1 for none.
   */
  places: ChartPlace[];
  /**
   * One recorded step.
   */
  timeline: Timeline | null;
  /**
   * The cost of the step as trees.
   */
  flame: Flame | null;
  /**
   * The text of the lines that are shown, where it was measured.
   */
  source_lines: SourceLine[];
}
/**
 * One source line of one function.
 */
export interface ChartPlace {
  /**
   * Absolute path.
   */
  file: string;
  /**
   * 1-based.
   */
  line: number;
  /**
   * Qualified name of the function.
   */
  function: string;
}
/**
 * The recorded step whose length is nearest to the median. Times are microseconds from its start, as recorded: the profiler's cost is in them.
 */
export interface Timeline {
  /**
   * Length of the recorded step.
   */
  step_us: number;
  /**
   * Recorded steps from which it was chosen.
   */
  of_steps: number;
  /**
   * This step's length over that of the clean one; null where there is no clean one, as in recordings that others made.
   */
  tax: number | null;
  /**
   * Spans that were left out because there are too many, the shortest first.
   */
  dropped: number;
  /**
   * From the user's lines down to the device.
   */
  lanes: Lane[];
}
/**
 * Spans of one kind on one thread, stream or device. What crosses an edge of the step is cut there.
 */
export interface Lane {
  /**
   * What its spans are.
   */
  kind: 'lines' | 'host' | 'stream' | 'copies' | 'communication' | 'marks';
  /**
   * For a heading.
   */
  title: string;
  /**
   * System thread id; of a device's lane, the thread that launched most of it.
   */
  thread: number | null;
  /**
   * Index of the device; null on the host.
   */
  device: number | null;
  /**
   * When each span begins.
   */
  start_us: number[];
  /**
   * How long it lasts.
   */
  duration_us: number[];
  /**
   * Row in the lane: how many spans it is inside of.
   */
  depth: number[];
  /**
   * What it is called.
   */
  name: number[];
  /**
   * The line to which it belongs.
   */
  place: number[];
  /**
   * Only of a device: index of the span that launched it, in the lane of kind host of the same thread; -1 where that is not shown.
   */
  launched_by?: number[];
}
/**
 * The cost of the step, every moment once.
 */
export interface Flame {
  /**
   * Of self_ms.
   */
  unit: 'ms per step';
  by_path: Tree;
  /**
   * By module, forward and backward together; null where modules were not recorded.
   */
  by_module: Tree1 | null;
}
/**
 * By call path of the user's lines. A line's nodes add up to its cost_ms, all nodes to the step.
 */
export interface Tree {
  /**
   * Index of the parent, which stands before its children; -1 of the root.
   */
  parent: number[];
  /**
   * What the node is called.
   */
  name: number[];
  /**
   * Its line.
   */
  place: number[];
  /**
   * What it costs without the nodes below it.
   */
  self_ms: number[];
}
/**
 * A tree in pre-order.
 */
export interface Tree1 {
  /**
   * Index of the parent, which stands before its children; -1 of the root.
   */
  parent: number[];
  /**
   * What the node is called.
   */
  name: number[];
  /**
   * Its line.
   */
  place: number[];
  /**
   * What it costs without the nodes below it.
   */
  self_ms: number[];
}
/**
 * The text of one line.
 */
export interface SourceLine {
  /**
   * Index into places.
   */
  place: number;
  /**
   * Without its indentation, cut where it is very long.
   */
  text: string;
}
