/** The ranks of a run side by side. */
import type { Collective, LineSkew, RankCost, Ranks } from '../../generated/report';
import { duration, share } from '../format';
import { stepParts } from '../model/parts';
import type { Page } from '../page';
import { countColumn, placeColumn, textColumn, timeColumn } from '../parts/columns';
import { StackedBar } from '../parts/stacked-bar';
import { DataTable, type Column } from '../parts/table';
import { text } from '../strings';

export function RanksSection({ page }: { page: Page }) {
  const { ranks } = page.report;
  if (!ranks) return null;
  return (
    <>
      <Summary ranks={ranks} />
      <DataTable
        name={text('ranks')}
        rows={ranks.ranks}
        columns={rankColumns()}
        order={{ column: 'rank', descending: false }}
        searched={({ rank, device }) => `${rank} ${device}`}
        id={({ rank }) => String(rank)}
      />
      {ranks.collectives.length > 0 && (
        <>
          <h3>{text('collectives')}</h3>
          <DataTable
            name={text('collectives')}
            rows={ranks.collectives}
            columns={collectiveColumns(page)}
            order={{ column: 'wait', descending: true }}
            searched={({ name, doing }) => `${name} ${doing}`}
            id={({ name }) => name}
          />
        </>
      )}
      {ranks.lines.length > 0 && (
        <>
          <h3>{text('skewedLines')}</h3>
          <DataTable
            name={text('skewedLines')}
            rows={ranks.lines}
            columns={skewColumns(page)}
            order={{ column: 'high', descending: true }}
            searched={(line) => `${page.where(line)} ${line.function}`}
            id={({ file, line }) => `${line}:${file}`}
          />
        </>
      )}
    </>
  );
}

function Summary({ ranks }: { ranks: Ranks }) {
  const read = ranks.ranks.length;
  return (
    <>
      <p>
        {ranks.world_size === null
          ? text('ranksRead', read)
          : text('ranksOf', read, ranks.world_size)}{' '}
        {ranks.missing.length > 0 && text('ranksMissing', ranks.missing.join(', '))}
      </p>
      {ranks.notes.length > 0 && (
        <ul>
          {ranks.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function rankColumns(): Column<RankCost>[] {
  return [
    countColumn('rank', text('rank'), ({ rank }) => rank),
    textColumn('device', text('device'), ({ device }) => device),
    timeColumn('step', text('step'), (rank) => rank.step_ms),
    {
      id: 'breakdown',
      title: text('breakdown'),
      value: ({ breakdown }) => breakdown.compute + breakdown.memory,
      show: (rank) => <RankBar rank={rank} />,
    },
    timeColumn('waited', text('waited'), (rank) => rank.waited_ms),
    timeColumn('late', text('late'), (rank) => rank.late_ms),
  ];
}

function RankBar({ rank }: { rank: RankCost }) {
  const parts = stepParts.map(({ name, label, meaning }) => ({
    name,
    label: text(label),
    meaning: text(meaning),
    share: rank.breakdown[name],
    amount: duration(rank.breakdown[name] * rank.step_ms),
  }));
  const spoken = parts.filter((part) => part.share > 0);
  return (
    <StackedBar
      small
      parts={parts}
      label={spoken.map((part) => `${part.label} ${share(part.share)}`).join(', ')}
    />
  );
}

function collectiveColumns(page: Page): Column<Collective>[] {
  return [
    textColumn('name', text('operator'), ({ name }) => name),
    countColumn('calls', text('calls'), ({ calls }) => calls),
    timeColumn('transfer', text('transfer'), (row) => row.transfer_ms),
    timeColumn('wait', text('wait'), (row) => row.wait_ms),
    {
      id: 'late',
      title: text('lateRank'),
      value: (row) => row.late_rank,
      show: (row) => text('lateRankShare', row.late_rank, share(row.late_share)),
    },
    placeColumn(page, 'line', text('line'), (row) => row.late_line),
    textColumn('doing', text('lateDoing'), ({ doing }) => doing || null),
  ];
}

function skewColumns(page: Page): Column<LineSkew>[] {
  return [
    placeColumn(page, 'line', text('line'), (line) => line),
    textColumn('function', text('function'), (line) => line.function),
    timeColumn('low', text('lowest'), (line) => line.low_ms),
    timeColumn('high', text('highest'), (line) => line.high_ms),
    countColumn('rank', text('slowestRank'), (line) => line.slowest_rank),
  ];
}
