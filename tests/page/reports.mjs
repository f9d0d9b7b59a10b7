/** Reports that the tests of the page show: made up, of any size, always the same. */

const FILE = '/home/me/project/train.py';
const MODEL = '/home/me/project/model.py';

/** A generator with a seed: the same numbers in every run. */
export function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function line(file, number, name, cost, more = {}) {
  return {
    file,
    line: number,
    function: name,
    calls: 1,
    cost_ms: cost,
    host_ms: cost * 0.6,
    work_ms: cost * 0.9,
    forward_ms: cost * 0.3,
    backward_ms: cost * 0.6,
    device_idle_ms: cost * 0.05,
    wait_ms: { data: 0, sync: null, copy: null, communication: null },
    allocated_bytes: Math.round(cost * 4e6),
    live_at_peak_bytes: Math.round(cost * 2.5e6),
    categories: {
      parameter: 0,
      gradient: Math.round(cost * 0.5e6),
      optimizer: 0,
      activation: Math.round(cost * 2e6),
      input: 0,
      temporary: 0,
    },
    flops: null,
    bytes_moved: null,
    launches: 4,
    regime: cost > 5 ? 'compute' : 'memory',
    headroom_ms: null,
    worker_ms: null,
    worker_calls: null,
    exact: true,
    fused_with: [],
    ops: [
      op('aten::conv2d', cost * 0.4, false),
      op('aten::convolution_backward', cost * 0.5, true),
    ],
    ...more,
  };
}

const op = (name, work, backward) => ({
  name,
  calls: 2,
  work_ms: work,
  shapes: '64x3x32x32, 32x3x3x3',
  dtypes: 'float32',
  backward,
});

const LAYERS = 6;

function lines() {
  const layers = Array.from({ length: LAYERS }, (_, at) =>
    line(MODEL, 20 + at, 'Residual.forward', 8 - at),
  );
  return [
    ...layers,
    line(FILE, 41, 'train', 3.2, {
      regime: null,
      wait_ms: { data: 3.1, sync: null, copy: null, communication: null },
    }),
    line(FILE, 47, 'train', 2.4, {
      regime: 'overhead',
      ops: [op('aten::_foreach_add_', 2, false)],
    }),
    line(FILE, 48, 'train', 0.0004, { regime: null, ops: [] }),
  ];
}

/** A report of a run on a GPU, with everything in it that a report can have. */
export function report(more = {}) {
  return {
    schema: 'stepscope/report/1',
    run: {
      target: FILE,
      args: ['--batch-size', '64'],
      python: '/home/me/env/bin/python (3.11.7)',
      torch: '2.13.0+cu130',
      device: 'cuda:0 NVIDIA H200',
      started: '2026-11-30T16:05:12+00:00',
      steps: 12,
      warmup: 5,
      boundary: `optimizer steps in the loop at line 40 of ${FILE}`,
      model: 'SmallResNet',
      process: 'main',
      assumed: null,
      files: { guard: 'overlay', kept: [], created: [] },
    },
    step_ms: { median: 40, mean: 40.4, p10: 38.9, p90: 42.3 },
    tax: 1.42,
    totals: {
      span_ms: 480,
      host_ms: 480,
      device_busy_ms: 360,
      communication_ms: 4,
      hidden_ms: 1,
    },
    breakdown: {
      compute: 0.42,
      memory: 0.21,
      overhead: 0.12,
      data: 0.08,
      copy: 0.05,
      sync: 0.04,
      communication: 0.03,
      idle: 0.03,
      other: 0.02,
    },
    verdict: {
      bound: 'compute',
      share: 0.63,
      sentence:
        'Compute-bound: the GPU works for 63 % of the step, mostly in Residual.forward (model.py:20) 20 %.',
      causes: [{ name: 'Residual.forward', file: MODEL, line: 20, ms: 8 }],
    },
    coverage: { host: 0.985, work: 0.99 },
    lines: lines(),
    unattributed: {
      cost_ms: 0.6,
      host_ms: 0.6,
      work_ms: 0.2,
      ops: [op('aten::copy_', 0.2, false)],
    },
    recomputed_ms: 0,
    memory: memory(),
    ranks: null,
    findings: [
      {
        rule: 'slow-input',
        file: FILE,
        line: 41,
        end_line: 41,
        severity: 'warning',
        message:
          'The step waits 3.10 ms (8 %) for its input, since the loader has no workers; give it some.',
        evidence: { wait_ms: 3.1, workers: 0 },
        gain_ms: [1.5, 3.1],
        gain_source: 'What the step waits for input.',
        fix: { title: 'Load with 4 workers', edits: [] },
        trial: null,
        related: [{ file: MODEL, line: 22, message: 'the same layer' }],
      },
      {
        rule: 'autocast',
        file: MODEL,
        line: 20,
        end_line: 20,
        severity: 'information',
        message: 'Convolutions run in float32; in bfloat16 this device is twice as fast.',
        evidence: { share: 0.4 },
        gain_ms: [8, 8],
        gain_source: '',
        fix: null,
        trial: null,
        related: [],
      },
    ],
    notes: ['The clock of the device was not fixed: times may differ by some per cent.'],
    charts: charts({ spans: 3000 }),
    ...more,
  };
}

function memory() {
  const points = 240;
  const timeline = Array.from({ length: points }, (_, at) => {
    const part = at / points;
    const rise = part < 0.45 ? part / 0.45 : Math.max(0, 1 - (part - 0.45) / 0.4);
    return {
      at_ms: Math.round(part * 40_000) / 1000,
      live_bytes: Math.round(90e6 + rise * 310e6 + (at % 7) * 2e6),
    };
  });
  const peak = Math.max(...timeline.map((point) => point.live_bytes));
  return {
    peak_bytes: peak,
    reserved_bytes: 512e6,
    peak_line: { file: MODEL, line: 22 },
    categories: {
      parameter: 40e6,
      gradient: 40e6,
      optimizer: 80e6,
      activation: peak - 180e6,
      input: 12e6,
      temporary: 8e6,
    },
    timeline,
    before_bytes: 120e6,
  };
}

/** A module that ran per layer, forwards and backwards, with operators and what they launch. */
export function charts({ spans }) {
  const next = random(7);
  const names = [];
  const known = new Map();
  const name = (text) => {
    if (!known.has(text)) known.set(text, names.push(text) - 1);
    return known.get(text);
  };
  const places = [
    ...Array.from({ length: LAYERS }, (_, at) => ({
      file: MODEL,
      line: 20 + at,
      function: 'Residual.forward',
    })),
    { file: FILE, line: 41, function: 'train' },
    { file: FILE, line: 47, function: 'train' },
  ];
  const lane = (kind, title, thread, device) => ({
    kind,
    title,
    thread,
    device,
    start_us: [],
    duration_us: [],
    depth: [],
    name: [],
    place: [],
  });
  const add = (to, start, length, depth, text, place) => {
    to.start_us.push(Math.round(start * 10) / 10);
    to.duration_us.push(Math.round(length * 10) / 10);
    to.depth.push(depth);
    to.name.push(name(text));
    to.place.push(place);
    return to.start_us.length - 1;
  };
  const own = lane('lines', 'Lines', 1, null);
  const host = lane('host', 'Thread 1 (main)', 1, null);
  const stream = { ...lane('stream', 'Stream 7', 1, 0), launched_by: [] };
  const copies = { ...lane('copies', 'Copies', 1, 0), launched_by: [] };
  const marks = lane('marks', 'Marks', null, null);
  const step = 57_000;
  add(marks, 0, step, 0, 'step', -1);
  // Five spans per operator: two on the host, a launch, a kernel, and a line once in a while.
  const operators = Math.max(LAYERS * 4, Math.floor(spans / 4.2));
  const each = (step * 0.9) / operators;
  let device = 300;
  for (let at = 0; at < operators; at += 1) {
    const start = at * each;
    const layer = Math.floor((at / operators) * LAYERS * 2) % LAYERS;
    const backward = at > operators / 2;
    const length = each * (0.55 + 0.4 * next());
    const kind = ['conv2d', 'batch_norm', 'relu', 'add_', 'mul'][at % 5];
    add(host, start, length, 0, backward ? `autograd::${kind}Backward0` : `aten::${kind}`, layer);
    const inner = add(host, start + length * 0.1, length * 0.7, 1, `aten::_${kind}`, layer);
    add(host, start + length * 0.3, length * 0.3, 2, 'cudaLaunchKernel', layer);
    device = Math.max(device, start + length * 0.7);
    const work = each * (0.2 + next());
    add(stream, device, work, 0, `void ${kind}_kernel<float, 4>(int, float*)`, layer);
    stream.launched_by.push(inner);
    device += work;
    if (at % 5 === 0) add(own, start, each * 4.9, 0, `model.py:${20 + layer}`, layer);
  }
  add(copies, 20, 900, 0, 'Memcpy HtoD', 6);
  copies.launched_by.push(0);
  return {
    names,
    places,
    timeline: {
      step_us: step,
      of_steps: 3,
      tax: 1.42,
      dropped: 0,
      lanes: [marks, own, host, stream, copies],
    },
    flame: { unit: 'ms per step', ...flames(name) },
    source_lines: places.map((_, place) => ({ place, text: `x = self.block_${place}(x)` })),
  };
}

function flames(name) {
  const tree = () => ({ parent: [], name: [], place: [], self_ms: [] });
  const add = (to, parent, text, place, self) => {
    to.name.push(name(text));
    to.place.push(place);
    to.self_ms.push(self);
    return to.parent.push(parent) - 1;
  };
  const path = tree();
  const root = add(path, -1, 'step', -1, 0);
  const main = add(path, root, 'main (train.py:60)', 6, 0);
  const train = add(path, main, 'train (train.py:43)', 6, 0.4);
  for (let at = 0; at < LAYERS; at += 1) {
    const outer = add(path, train, `SmallResNet.forward (model.py:${40 + at})`, at, 0.2);
    const inner = add(path, outer, `Residual.forward (model.py:${20 + at})`, at, 0);
    add(path, inner, 'aten::conv2d', at, (8 - at) * 0.7);
    add(path, inner, 'aten::batch_norm', at, (8 - at) * 0.3);
  }
  add(path, train, 'loader (train.py:41)', 6, 3.2);
  add(path, root, 'unattributed', -1, 0.6);
  const modules = tree();
  const model = add(modules, -1, 'step', -1, 4);
  const net = add(modules, model, 'net', -1, 0.5);
  for (let at = 0; at < LAYERS; at += 1) {
    const layer = add(modules, net, `layer${at}`, at, 0.3);
    add(modules, layer, 'conv1', at, (8 - at) * 0.6);
    add(modules, layer, 'norm1', at, (8 - at) * 0.35);
  }
  return { by_path: path, by_module: modules };
}

/** Memory and nothing else: there is no time in it. */
export function snapshot() {
  const none = { data: null, sync: null, copy: null, communication: null };
  return report({
    run: { ...report().run, started: null, steps: 0, warmup: 0, boundary: '', model: '' },
    step_ms: null,
    tax: null,
    totals: null,
    breakdown: null,
    verdict: null,
    coverage: { host: null, work: null },
    lines: lines().map((entry) => ({
      ...entry,
      ...Object.fromEntries(
        ['calls', 'cost_ms', 'host_ms', 'work_ms', 'forward_ms', 'backward_ms'].map((key) => [
          key,
          null,
        ]),
      ),
      device_idle_ms: null,
      launches: null,
      regime: null,
      wait_ms: none,
      ops: [],
    })),
    unattributed: { cost_ms: null, host_ms: null, work_ms: null, ops: [] },
    recomputed_ms: null,
    findings: [],
    charts: null,
  });
}

/** On the CPU: no device, no launches. */
export function cpuOnly() {
  const whole = report();
  return {
    ...whole,
    run: { ...whole.run, device: 'cpu', torch: '2.13.0+cpu' },
    totals: { ...whole.totals, device_busy_ms: null, communication_ms: null, hidden_ms: null },
  };
}

/** Four ranks of which one is late and one missing. */
export function ranks() {
  const rank = (number, late) => ({
    rank: number,
    path: `/tmp/ranks/${number}`,
    device: `cuda:${number}`,
    steps: 12,
    step_ms: 40 + number / 10,
    breakdown: report().breakdown,
    waited_ms: late ? 0.1 : 4.2,
    late_ms: late ? 12.4 : 0.3,
  });
  return report({
    ranks: {
      world_size: 4,
      missing: [3],
      ranks: [rank(0, false), rank(1, true), rank(2, false)],
      collectives: [
        {
          name: 'nccl:all_reduce',
          calls: 12,
          transfer_ms: 2.1,
          wait_ms: 4.2,
          late_rank: 1,
          late_share: 0.92,
          late_line: { file: FILE, line: 41 },
          doing: 'train',
        },
      ],
      lines: [
        { file: FILE, line: 41, function: 'train', low_ms: 1.1, high_ms: 5.3, slowest_rank: 1 },
      ],
      notes: [],
    },
  });
}

const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

/** Every name is markup: it must be shown as what it is. */
export function hostile() {
  const whole = report();
  const made = whole.charts;
  return {
    ...whole,
    run: { ...whole.run, target: `/tmp/${MARKUP}.py`, args: [MARKUP], model: MARKUP },
    verdict: { ...whole.verdict, sentence: MARKUP },
    notes: [MARKUP, '</script><script>window.hacked=1</script>'],
    lines: whole.lines.map((entry) => ({
      ...entry,
      function: MARKUP,
      ops: entry.ops.map((used) => ({ ...used, name: MARKUP, shapes: MARKUP })),
    })),
    findings: whole.findings.map((finding) => ({
      ...finding,
      message: MARKUP,
      evidence: { [MARKUP]: MARKUP },
    })),
    charts: { ...made, names: made.names.map((text) => MARKUP + text) },
  };
}

/** Thousands of lines, as of a large project. */
export function long(size) {
  return report({
    lines: Array.from({ length: size }, (_, at) =>
      line(`/home/me/project/part${at % 40}.py`, at + 1, `f${at}`, 40 / size),
    ),
  });
}
