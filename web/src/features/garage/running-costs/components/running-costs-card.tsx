import type { ReactNode } from 'react';
import { BarChart, LineChart } from '@/components/charts/charts';
import { totalOf } from '@/components/charts/model';
import { Card } from '@/components/ui/card';
import {
  KINDS,
  mileagePoints,
  spendingOf,
  type Entry,
  type Reading,
} from '@/features/garage/running-costs/model';
import { formatDay, today, type Day } from '@/lib/dates';
import { formatCount, formatEstimate, formatMiles, formatMoney } from '@/lib/format';

type RunningCostsCardProps = {
  /** The vehicle's. */
  name: string;
  /** Chooses another vehicle. */
  choice: ReactNode;
  children: ReactNode;
};

/** What a vehicle cost, and how far it went. */
export function RunningCostsCard({ name, choice, children }: RunningCostsCardProps) {
  return (
    <Card aria-labelledby="running-costs-title" className="grid grid-cols-1 content-start gap-5">
      <header className="min-w-0">
        <h2 id="running-costs-title" className="section-title">
          Costs and Mileage
        </h2>
        <p className="mt-1 text-sm wrap-anywhere text-muted">
          <bdi>{name}</bdi>, from its oil changes, repairs and readings.
        </p>
      </header>
      {choice}
      {children}
    </Card>
  );
}

type RunningCostsChartsProps = {
  entries: Entry[];
  /** What was noted of the odometer between these. */
  readings: Reading[];
  /** The day before which some records are too many to read at once. */
  completeFrom: Day | null;
};

/** Both as pictures. */
export function RunningCostsCharts({ entries, readings, completeFrom }: RunningCostsChartsProps) {
  return (
    <div className="grid grid-cols-1 items-start gap-x-6 gap-y-8 lg:grid-cols-2">
      <Costs entries={entries} completeFrom={completeFrom} />
      <Mileage readings={[...entries, ...readings]} partly={completeFrom !== null} />
    </div>
  );
}

type CostsProps = { entries: Entry[]; completeFrom: Day | null };

function Costs({ entries, completeFrom }: CostsProps) {
  const spending = spendingOf(entries, completeFrom, today());
  if (spending === null) {
    return (
      <Nothing title="Money spent">
        {completeFrom === null
          ? 'Enter what an oil change or a repair cost, and it adds up here.'
          : `Nothing is known to be paid since ${formatDay(completeFrom)}. Older records are too many to read at once.`}
      </Nothing>
    );
  }
  const { unit, bars } = spending;
  const sum = formatMoney(bars.reduce((total, bar) => total + totalOf(bar), 0));
  const [first, last] = [bars[0]?.name ?? '', bars.at(-1)?.name ?? ''];
  return (
    <BarChart
      title={`Money spent each ${unit}`}
      summary={`${sum} spent ${first === last ? `in ${first}` : `from ${first} until ${last}`}.`}
      caption={
        completeFrom === null
          ? undefined
          : `Only whole ${unit}s are shown. Older records are too many to read at once.`
      }
      what={unit === 'month' ? 'Month' : 'Year'}
      series={KINDS}
      bars={bars}
      format={formatMoney}
      formatShort={formatEstimate}
    />
  );
}

type MileageProps = { readings: Reading[]; partly: boolean };

function Mileage({ readings, partly }: MileageProps) {
  const points = mileagePoints(readings);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.at === last.at) {
    return (
      <Nothing title="Mileage">
        Readings of two days make a line. Use Update Mileage, or log an oil change or a repair.
      </Nothing>
    );
  }
  return (
    <LineChart
      title="Mileage"
      summary={`From ${formatMiles(first.value)} on ${first.name} to ${formatMiles(last.value)} on ${last.name}.`}
      caption={partly ? 'Older records are too many to read at once.' : undefined}
      head={['Day', 'Miles']}
      points={points}
      format={formatCount}
    />
  );
}

type NothingProps = { title: string; children: string };

function Nothing({ title, children }: NothingProps) {
  return (
    <div className="grid gap-2">
      <h3 className="text-sm font-medium text-soft">{title}</h3>
      <p className="rounded-md border border-dashed p-4 text-sm text-muted">{children}</p>
    </div>
  );
}
