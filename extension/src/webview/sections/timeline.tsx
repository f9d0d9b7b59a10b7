/** One recorded step: what ran when on the host, on each stream, and for which line. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { listen } from '../canvas/timeline-input';
import { minimap } from '../canvas/minimap';
import { TimelineView } from '../canvas/timeline-view';
import { count, duration, ratio } from '../format';
import type { Charts, Timeline as TimelineColumns } from '../../generated/report';
import { matching } from '../model/search';
import { buildTimeline, type SpanRef } from '../model/timeline';
import { zoom } from '../model/viewport';
import { findSpans } from '../model/walk';
import type { Page } from '../page';
import { SearchBox } from '../parts/search-box';
import { SpanDetails, SpanTip } from '../parts/span-details';
import { Tooltip, type TipAt } from '../parts/tooltip';
import { text } from '../strings';

/** As many matches as somebody will step through. */
const MAX_MATCHES = 10_000;

export function TimelineSection({ page }: { page: Page }) {
  const { charts } = page;
  const columns = charts?.timeline;
  if (!charts || !columns) return <p>{text('noTimeline')}</p>;
  return (
    <>
      <p class="muted">
        {text('timelineOf', count(columns.of_steps), duration(columns.step_us / 1000))}{' '}
        {columns.tax !== null && text('timelineTax', ratio(columns.tax))}{' '}
        {columns.dropped > 0 && text('timelineDropped', count(columns.dropped))}
      </p>
      <Chart page={page} charts={charts} columns={columns} />
    </>
  );
}

interface ChartProps {
  page: Page;
  charts: Charts;
  columns: TimelineColumns;
}

function Chart({ page, charts, columns }: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const overview = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const timeline = useMemo(() => buildTimeline(columns), [columns]);
  const [view, setView] = useState<TimelineView | null>(null);
  const [selected, setSelected] = useState<SpanRef | null>(null);
  const [tip, setTip] = useState<{ ref: SpanRef; at: TipAt } | null>(null);
  const [query, setQuery] = useState('');

  const open = (ref: SpanRef) => {
    const place = page.placeOf(timeline.lanes[ref.lane]?.place[ref.span] ?? -1);
    if (place) page.goTo(place);
  };
  useEffect(() => {
    const elements = [canvas, overview, scroller, spacer].map((ref) => ref.current);
    const [main, strip, box, space] = elements;
    if (!main || !strip || !box || !space) return undefined;
    const made = new TimelineView(
      { canvas: main as HTMLCanvasElement, scroller: box, spacer: space },
      timeline,
      charts,
    );
    const map = minimap(strip as HTMLCanvasElement, made);
    made.onView = () => map.redraw();
    const unlisten = listen(made, box, main as HTMLCanvasElement, {
      onSelect: setSelected,
      onOpen: open,
      onHover: (ref, x, y) => {
        setTip(ref && { ref, at: { x, y, width: main.clientWidth } });
      },
    });
    setView(made);
    return () => {
      unlisten();
      map.end();
      made.dispose();
    };
  }, [timeline]);

  const names = useMemo(() => matching(charts.names, query), [charts, query]);
  const found = useMemo(() => names && findSpans(timeline, names, MAX_MATCHES), [timeline, names]);
  useEffect(() => {
    if (!view) return;
    view.matches = names;
    view.redraw();
  }, [view, names]);

  const select = (ref: SpanRef) => {
    if (!view) return;
    view.selected = ref;
    view.reveal(ref);
    setSelected(ref);
  };
  const stepTo = (by: 1 | -1) => {
    if (!found || found.refs.length === 0) return;
    const at = found.refs.findIndex(
      (ref) => ref.lane === selected?.lane && ref.span === selected.span,
    );
    const before = at < 0 && by < 0 ? 0 : at;
    const next = found.refs.at((before + by) % found.refs.length);
    if (next) select(next);
  };
  const status = !found
    ? ''
    : found.spans === 0
      ? text('foundNothing')
      : text('foundSpans', count(found.spans), count(timeline.size), duration(found.time / 1000));
  const zoomBy = (factor: number) => {
    if (!view) return;
    const middle = (view.view.from + view.view.to) / 2;
    view.setView(zoom(view.view, timeline.span, factor, middle));
  };
  return (
    <div class="chart">
      <div class="chart-tools">
        <SearchBox
          label={text('searchSpans')}
          query={query}
          status={status}
          onQuery={setQuery}
          onStep={stepTo}
        />
        <span class="buttons">
          <Tool label={text('zoomIn')} sign="+" act={() => zoomBy(0.6)} />
          <Tool label={text('zoomOut')} sign="−" act={() => zoomBy(1 / 0.6)} />
          <Tool label={text('showAll')} sign="⤢" act={() => view?.showAll()} />
        </span>
      </div>
      <canvas ref={overview} class="overview" title={text('overview')} aria-hidden="true" />
      <div class="stage">
        <div
          ref={scroller}
          class="lanes"
          role="application"
          tabIndex={0}
          aria-label={text('timeline')}
          aria-describedby="timeline-keys"
        >
          <canvas ref={canvas} aria-hidden="true" />
          <div ref={spacer} class="spacer" />
        </div>
        {tip && (
          <Tooltip at={tip.at}>
            <SpanTip page={page} timeline={timeline} at={tip.ref} />
          </Tooltip>
        )}
      </div>
      <SpanDetails page={page} timeline={timeline} at={selected} select={select} />
      <details class="keys">
        <summary>{text('keysHelp')}</summary>
        <p id="timeline-keys">{text('timelineKeys')}</p>
      </details>
    </div>
  );
}

interface ToolProps {
  label: string;
  sign: string;
  act: () => void;
}

const Tool = ({ label, sign, act }: ToolProps) => (
  <button type="button" aria-label={label} title={label} onClick={act}>
    {sign}
  </button>
);
