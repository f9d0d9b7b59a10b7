/** A span of the timeline in words. */
import { count, duration, share } from '../format';
import type { SpanRef, Timeline } from '../model/timeline';
import { launchedFrom, launcherOf } from '../model/walk';
import type { Page } from '../page';
import { text } from '../strings';
import { PlaceLink } from './place';

interface Props {
  page: Page;
  timeline: Timeline;
  at: SpanRef;
}

function describe({ page, timeline, at }: Props) {
  const lane = timeline.lanes[at.lane];
  const start = lane?.start[at.span] ?? 0;
  const length = (lane?.end[at.span] ?? 0) - start;
  return {
    name: page.charts?.names[lane?.name[at.span] ?? -1] ?? '',
    lane: lane?.title ?? '',
    length: duration(length / 1000),
    start: duration(start / 1000),
    share: share(length / timeline.span),
    place: page.placeOf(lane?.place[at.span] ?? -1),
  };
}

export function SpanTip(props: Props) {
  const span = describe(props);
  return (
    <>
      <strong>{span.name}</strong>
      <span>
        {span.length} · {text('spanAt', span.start)}
      </span>
      {span.place && (
        <span class="muted">
          {props.page.where(span.place)} {span.place.function}
        </span>
      )}
    </>
  );
}

/** More kernels than these are counted only. */
const MAX_LAUNCHED = 1000;

interface DetailsProps extends Omit<Props, 'at'> {
  at: SpanRef | null;
  select: (ref: SpanRef) => void;
}

export function SpanDetails({ page, timeline, at, select }: DetailsProps) {
  if (!at) return <p class="details muted">{text('nothingSelected')}</p>;
  const span = describe({ page, timeline, at });
  const launcher = launcherOf(timeline, at);
  const launched = launchedFrom(timeline, at, MAX_LAUNCHED);
  const first = launched[0];
  const nameOf = (ref: SpanRef) => describe({ page, timeline, at: ref }).name;
  return (
    <div class="details">
      <p role="status">
        <strong class="text">{span.name}</strong> {span.lane} · {span.length} ·{' '}
        {text('ofStep', span.share)} · {text('spanAt', span.start)}
      </p>
      <p>
        {span.place && (
          <>
            <PlaceLink page={page} place={span.place} />{' '}
            <span class="muted">{span.place.function}</span>{' '}
          </>
        )}
        {launcher && (
          <button
            type="button"
            class="link"
            onClick={() => {
              select(launcher);
            }}
          >
            {text('launchedBy', nameOf(launcher))}
          </button>
        )}
        {first && (
          <button
            type="button"
            class="link"
            onClick={() => {
              select(first);
            }}
          >
            {text(
              'launches',
              launched.length === 1
                ? nameOf(first)
                : `${nameOf(first)} +${count(launched.length - 1)}`,
            )}
          </button>
        )}
      </p>
    </div>
  );
}
