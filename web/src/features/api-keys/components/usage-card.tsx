import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { LoadFailure } from '@/components/load-failure';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { LoadingBlock } from '@/components/ui/skeleton';
import { serverPaths } from '@/config/paths';
import { usageByDay, type DayUsage } from '@/features/api-keys/model';
import { apiKeyQueries } from '@/features/api-keys/queries';
import { formatDate, formatMicroDollars } from '@/lib/format';

/** What was scanned in the last 30 days, here and by keys, and what it cost. */
export function UsageCard() {
  const usage = useQuery(apiKeyQueries.usage());
  return (
    <SettingsCard
      title="Usage"
      description="Scans of the last 30 days, in the browser and by API keys. What this machine answers by itself costs nothing."
      action={
        <Button asChild size="small">
          <a href={serverPaths.usageExport} download>
            <Download className="size-4" aria-hidden />
            CSV
          </a>
        </Button>
      }
    >
      {usage.isPending && <LoadingBlock label="Loading usage" rows={2} rowClassName="h-10" />}
      {usage.isLoadingError && (
        <LoadFailure what="Your usage" error={usage.error} onRetry={() => void usage.refetch()} />
      )}
      {usage.data != null && (
        <>
          <p className="text-sm">
            <span className="text-2xl font-semibold tabular-nums">{usage.data.scans}</span>{' '}
            <span className="text-soft">scans, {formatMicroDollars(usage.data.costMicros)}</span>
          </p>
          <DayTable days={usageByDay(usage.data.rows)} />
        </>
      )}
    </SettingsCard>
  );
}

type DayTableProps = { days: DayUsage[] };

function DayTable({ days }: DayTableProps) {
  if (days.length === 0) return null;
  return (
    <div
      role="region"
      aria-label="Usage by day"
      // Scrolling by keyboard needs something to hold the focus.
      tabIndex={0}
      className="max-h-72 overflow-y-auto rounded-md border"
    >
      <table className="w-full text-left text-sm">
        <thead className="text-xs text-muted">
          <tr>
            <th className="px-3 py-2 font-medium">Day</th>
            <th className="px-3 py-2 text-right font-medium">Scans</th>
            <th className="px-3 py-2 text-right font-medium">Cost</th>
          </tr>
        </thead>
        <tbody className="divide-y border-t">
          {days.map(({ day, scans, costMicros }) => (
            <tr key={day}>
              <td className="px-3 py-2">{formatDate(`${day}T12:00:00Z`)}</td>
              <td className="px-3 py-2 text-right tabular-nums">{scans}</td>
              <td className="px-3 py-2 text-right tabular-nums">
                {formatMicroDollars(costMicros)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
