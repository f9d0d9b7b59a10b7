/** The step's cost by who called whom, or by which module it belongs to. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { FlameView } from '../canvas/flame-view';
import { count, duration, share } from '../format';
import type { Charts } from '../../generated/report';
import { layOut, type Direction, type Flame } from '../model/flame';
import { matching } from '../model/search';
import type { Page } from '../page';
import { PlaceLink } from '../parts/place';
import { SearchBox } from '../parts/search-box';
import { Tooltip, type TipAt } from '../parts/tooltip';
import { text } from '../strings';

type Kind = 'by_path' | 'by_module';

export function FlameGraph({ page }: { page: Page }) {
  const { charts } = page;
  const [kind, setKind] = useState<Kind>('by_path');
  const columns = charts?.flame?.[kind];
  const flame = useMemo(() => columns && layOut(columns), [columns]);
  if (!charts?.flame) return <p>{text('noFlame')}</p>;
  return (
    <>
      <fieldset class="switch">
        <legend class="hidden">{text('flameKind')}</legend>
        {(['by_path', 'by_module'] as const).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="flame-kind"
              checked={kind === name}
              onChange={() => {
                setKind(name);
              }}
            />
            <span>{text(name === 'by_path' ? 'byPath' : 'byModule')}</span>
          </label>
        ))}
      </fieldset>
      {flame ? (
        <Chart key={kind} page={page} charts={charts} flame={flame} />
      ) : (
        <p>{text('noModules')}</p>
      )}
    </>
  );
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

interface ChartProps {
  page: Page;
  charts: Charts;
  flame: Flame;
}

function Chart({ page, charts, flame }: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<FlameView | null>(null);
  const [selected, setSelected] = useState(-1);
  const [zoomed, setZoomed] = useState(0);
  const [tip, setTip] = useState<{ node: number; at: TipAt } | null>(null);
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (!canvas.current) return undefined;
    const made = new FlameView(canvas.current, flame, charts);
    view.current = made;
    return () => {
      made.dispose();
    };
  }, [flame]);

  const names = useMemo(() => matching(charts.names, query), [charts, query]);
  const found = useMemo(() => names && matchesOf(flame, names), [flame, names]);
  useEffect(() => {
    if (!view.current) return;
    view.current.matches = names;
    view.current.redraw();
  }, [names]);

  const select = (node: number) => {
    setSelected(node);
    if (!view.current) return;
    view.current.selected = node;
    view.current.redraw();
  };
  const zoomTo = (node: number) => {
    view.current?.zoomTo(node);
    setZoomed(Math.max(0, node));
  };
  const open = (node: number) => {
    const place = page.placeOf(flame.place[node] ?? -1);
    if (place) page.goTo(place);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !view.current) return;
    const arrow = ARROWS[event.key];
    const acts: Record<string, () => void> = {
      enter: () => zoomTo(selected),
      escape: () => zoomTo(flame.parent[zoomed] ?? 0),
      '0': () => zoomTo(0),
      g: () => open(selected),
    };
    const move = (direction: Direction) => {
      select(view.current?.move(direction) ?? -1);
      setZoomed(view.current?.zoomed ?? 0);
    };
    const act = arrow ? () => move(arrow) : acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const nodeAt = (event: MouseEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    if (!box) return { node: -1, x: 0, y: 0, width: 0 };
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { node: view.current?.at(x, y) ?? -1, x, y, width: box.width };
  };
  const stepTo = (by: 1 | -1) => {
    if (!found || found.nodes.length === 0) return;
    const at = found.nodes.indexOf(selected);
    const next = found.nodes.at(((at < 0 && by < 0 ? 0 : at) + by) % found.nodes.length);
    if (next === undefined) return;
    zoomTo(0);
    select(next);
  };
  return (
    <div class="chart">
      <div class="chart-tools">
        <SearchBox
          label={text('searchNodes')}
          query={query}
          status={found ? foundText(flame, found) : ''}
          onQuery={setQuery}
          onStep={stepTo}
        />
        <span class="buttons">
          <button type="button" disabled={selected < 0} onClick={() => zoomTo(selected)}>
            {text('zoomInto')}
          </button>
          <button
            type="button"
            disabled={zoomed === 0}
            onClick={() => zoomTo(flame.parent[zoomed] ?? 0)}
          >
            {text('zoomBack')}
          </button>
        </span>
      </div>
      <div class="stage">
        <div
          class="flame"
          role="application"
          tabIndex={0}
          aria-label={text('flame')}
          aria-describedby="flame-keys"
          onKeyDown={onKey}
        >
          <canvas
            ref={canvas}
            aria-hidden="true"
            onClick={(event) => select(nodeAt(event).node)}
            onDblClick={(event) => zoomTo(nodeAt(event).node)}
            onMouseMove={(event) => {
              const { node, ...at } = nodeAt(event);
              setTip(node < 0 ? null : { node, at });
              if (!view.current || view.current.hovered === node) return;
              view.current.hovered = node;
              view.current.redraw();
            }}
            onMouseLeave={() => {
              setTip(null);
              if (!view.current) return;
              view.current.hovered = -1;
              view.current.redraw();
            }}
          />
        </div>
        {tip && (
          <Tooltip at={tip.at}>
            <strong>{nameOf(charts, flame, tip.node)}</strong>
            <span>{costOf(flame, tip.node)}</span>
          </Tooltip>
        )}
      </div>
      <NodeDetails page={page} charts={charts} flame={flame} node={selected} />
      <details class="keys">
        <summary>{text('keysHelp')}</summary>
        <p id="flame-keys">{text('flameKeys')}</p>
      </details>
    </div>
  );
}

const nameOf = (charts: Charts, flame: Flame, node: number) =>
  charts.names[flame.name[node] ?? -1] ?? '';

function costOf(flame: Flame, node: number): string {
  const [total, self, all] = [flame.total[node] ?? 0, flame.self[node] ?? 0, flame.total[0] ?? 0];
  const own = self > 0 && self < total ? ` · ${text('selfTime', duration(self))}` : '';
  return `${duration(total)} · ${text('ofStep', share(all > 0 ? total / all : 0))}${own}`;
}

interface DetailsProps extends ChartProps {
  node: number;
}

function NodeDetails({ page, charts, flame, node }: DetailsProps) {
  if (node < 0) return <p class="details muted">{text('nothingChosen')}</p>;
  const place = page.placeOf(flame.place[node] ?? -1);
  return (
    <div class="details">
      <p role="status">
        <strong class="text">{nameOf(charts, flame, node)}</strong> {costOf(flame, node)}
      </p>
      {place && (
        <p>
          <PlaceLink page={page} place={place} /> <span class="muted">{place.function}</span>
        </p>
      )}
    </div>
  );
}

interface FoundNodes {
  readonly nodes: readonly number[];
  /** ms per step of all that match, without counting what is inside of another match twice. */
  readonly total: number;
}

function matchesOf(flame: Flame, names: Uint8Array): FoundNodes {
  const nodes: number[] = [];
  const covered = new Uint8Array(flame.size);
  let total = 0;
  for (let node = 0; node < flame.size; node += 1) {
    const above = flame.parent[node] ?? -1;
    const matches = names[flame.name[node] ?? -1];
    if (matches) nodes.push(node);
    if (matches && !covered[above]) total += flame.total[node] ?? 0;
    covered[node] = matches || covered[above] ? 1 : 0;
  }
  return { nodes, total };
}

function foundText(flame: Flame, { nodes, total }: FoundNodes): string {
  if (nodes.length === 0) return text('foundNothing');
  return text('foundNodes', count(nodes.length), count(flame.size), duration(total));
}
