import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { BarChart } from '@/components/charts/charts';
import { totalOf, type Bar } from '@/components/charts/model';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { serverPaths } from '@/config/paths';
import { costBars, scanBars } from '@/features/accounts/api-keys/model';
import { apiKeyQueries } from '@/features/accounts/api-keys/queries';
import { countOf, formatCount, formatMicroDollars } from '@/lib/format';

/** What was scanned in the last 30 days, here and by keys, and what it cost. */
export function UsageCard() {
  const usage = useQuery(apiKeyQueries.usage());
  return (
    <SettingsCard
      title="The Last 30 Days"
      action={
        <Button asChild size="small">
          <a href={serverPaths.usageExport} download>
            <Download className="size-4" aria-hidden />
            CSV
          </a>
        </Button>
      }
    >
      <QueryState
        query={usage}
        what="Your usage"
        label="Loading usage"
        rows={2}
        rowClassName="h-10"
      />
      {usage.data != null && (
        <>
          <p className="text-sm">
            <span className="text-2xl font-semibold tabular-nums">{usage.data.scans}</span>{' '}
            <span className="text-soft">
              {usage.data.scans === 1 ? 'scan' : 'scans'},{' '}
              {formatMicroDollars(usage.data.costMicros)}
            </span>
          </p>
          <Charts usage={usage.data} />
          <Fills fills={usage.data.fills} />
        </>
      )}
    </SettingsCard>
  );
}

const CAPTION = 'Days are in UTC.';

type ChartsProps = { usage: Schemas['Usage'] };

function Charts({ usage }: ChartsProps) {
  const scans = scanBars(usage);
  const costs = costBars(usage);
  if (usage.scans === 0 && usage.fills.length === 0) {
    return (
      <p className="text-sm text-soft">
        Nothing was scanned in these days. Scan a part, or let a program scan with a key.
      </p>
    );
  }
  return (
    <div className="grid grid-cols-1 gap-5">
      {usage.scans > 0 && (
        <BarChart
          title="Scans a day"
          summary={`Scans a day: ${mostOf(scans.bars, formatCount)}`}
          caption={CAPTION}
          what="Day"
          {...scans}
          format={formatCount}
          leastStep={1}
        />
      )}
      {costs.bars.some((bar) => totalOf(bar) > 0) && (
        <BarChart
          title="Cost a day"
          summary={`Cost a day: ${mostOf(costs.bars, formatMicroDollars)}`}
          caption={CAPTION}
          what="Day"
          {...costs}
          format={formatMicroDollars}
        />
      )}
    </div>
  );
}

/** What a chart of days says at a glance. */
function mostOf(bars: Bar[], format: (value: number) => string): string {
  const busy = bars.filter((bar) => totalOf(bar) > 0);
  const most = busy.reduce((best, bar) => (totalOf(bar) > totalOf(best) ? bar : best));
  return `${countOf(busy.length, 'day')} of ${bars.length}, most on ${most.name} with ${format(totalOf(most))}.`;
}

/** What was filled in by a language model, beside the scans. */
function Fills({ fills }: { fills: Schemas['FillUsage'][] }) {
  if (fills.length === 0) return null;
  const questions = fills.reduce((sum, fill) => sum + fill.questions, 0);
  const costMicros = fills.reduce((sum, fill) => sum + fill.costMicros, 0);
  return (
    <p className="text-sm text-soft">
      {countOf(questions, 'question')} to the AI for guides, oil and fit,{' '}
      {formatMicroDollars(costMicros)}
    </p>
  );
}
