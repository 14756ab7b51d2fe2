import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { LoadedSetting } from '@/components/loaded-setting';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ZeroEgressNotice } from '@/components/zero-egress-notice';
import { paths } from '@/config/paths';
import { BudgetBar } from '@/features/judging/components/budget-bar';
import { BudgetForm } from '@/features/judging/components/budget-form';
import { Consent } from '@/features/judging/components/consent';
import { judgeQuery } from '@/features/judging/queries';

/** Whether a vision-LLM may look at photos that the model is not sure of, and what it may cost. */
export function JudgeCard() {
  const judge = useQuery(judgeQuery());
  return (
    <SettingsCard
      title="Second Opinion"
      description="Where the model of this server is not sure of a photo, a vision-LLM can look at it too."
      action={judge.data != null && <StateBadge judge={judge.data} />}
    >
      <div className="text-sm text-soft empty:hidden">
        <ZeroEgressNotice />
      </div>
      <LoadedSetting query={judge}>
        {(setting) =>
          setting.host === null ? (
            <p className="text-sm text-soft">
              This server asks no vision-LLM: none gets your photos.
            </p>
          ) : (
            <Configured judge={setting} host={setting.host} />
          )
        }
      </LoadedSetting>
    </SettingsCard>
  );
}

type StateBadgeProps = { judge: Schemas['Judge'] };

function StateBadge({ judge: { host, onThisMachine, inPlan, allowed } }: StateBadgeProps) {
  const leaves = host !== null && !onThisMachine && inPlan && allowed;
  return (
    <Badge tone={leaves ? 'warn' : 'good'}>
      {leaves ? 'Photos may be sent' : 'Photos are not sent'}
    </Badge>
  );
}

type ConfiguredProps = { judge: Schemas['Judge']; host: string };

function Configured({ judge, host }: ConfiguredProps) {
  const { model, onThisMachine, inPlan, mayChange, today, thisMonth } = judge;
  return (
    <>
      <p className="text-sm text-soft">
        {model ?? 'It'} at <span className="font-medium break-all text-ink">{host}</span> is asked.{' '}
        {onThisMachine
          ? 'It runs on the machine of this server, so the photo is sent nowhere else.'
          : 'The photo then leaves this server, without the place, time and camera that its file names. The vehicle’s year, make and model go with it.'}
      </p>
      <p className="text-sm text-soft">
        It can also write guides for parts that you taught, and fill in oil values and notes on fit
        that nobody knows. It is asked only when you press “Ask the AI”, and gets names alone: of
        the part, or of the vehicle and its engine. What it says is marked “AI, verify”.
      </p>
      {!inPlan && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-md border p-3 text-sm">
          <p className="text-soft">Your plan does not include it.</p>
          <Button asChild size="small">
            <Link to={paths.pricing}>See Plans</Link>
          </Button>
        </div>
      )}
      <Consent judge={judge} />
      {inPlan && (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <BudgetBar title="Today" budget={today} />
            <BudgetBar title="This month" budget={thisMonth} />
          </div>
          <p className="text-xs text-muted">Days and months are in UTC.</p>
          {mayChange && <BudgetForm judge={judge} />}
        </>
      )}
    </>
  );
}
