import { useQuery } from '@tanstack/react-query';
import { CurveChart } from '@/components/charts/charts';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { Notice } from '@/components/ui/notice';
import {
  advice,
  comparedText,
  curvesOf,
  driftState,
  gapText,
  picturesText,
} from '@/features/evaluations/drift';
import { driftQuery, type Drift, type ScoreShift } from '@/features/evaluations/queries';
import { countOf, formatPercent, formatScanTime } from '@/lib/format';

/** Whether recent scans are like the photos that the confidence was fitted on. */
export function DriftCard() {
  const drift = useQuery(driftQuery());
  const isMeasured = drift.data === undefined || driftState(drift.data) !== 'not-measured';
  return (
    <SettingsCard
      title="Are Your Scans Like the Calibration Photos?"
      description={
        isMeasured
          ? 'The percentages hold for photos like those that the model was calibrated on.'
          : undefined
      }
    >
      <QueryState query={drift} what="The comparison" label="Comparing your scans" />
      {drift.data !== undefined && <Outcome drift={drift.data} />}
    </SettingsCard>
  );
}

type OutcomeProps = { drift: Drift };

function Outcome({ drift }: OutcomeProps) {
  const state = driftState(drift);
  const pictures = picturesText(drift);
  if (state === 'not-measured') {
    return (
      <div className="grid gap-2 text-sm text-soft">
        <p>
          The model of this server was not measured for this. Measure your own photos to see how
          often it is right.
        </p>
        {pictures !== null && (
          <p>
            Your {comparedText(drift)} can only be compared with earlier ones. {pictures}
          </p>
        )}
      </div>
    );
  }
  if (state === 'too-few') {
    return (
      <p className="text-sm text-soft">
        {countOf(drift.scans, 'scan')} in the last {drift.days} days. From {drift.leastScans} scans
        on, they are compared here.
      </p>
    );
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      {state === 'unlike' ? (
        <Notice
          tone="warn"
          title={`Your ${comparedText(drift)} look unlike the photos that the confidence was fitted on`}
        >
          <ul className="grid gap-1">
            {advice(drift).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Notice>
      ) : (
        <Notice
          tone="good"
          title={`Your ${comparedText(drift)} look like the photos that the confidence was fitted on`}
        />
      )}
      <Curves title="Confidence" what="Confidence" drift={drift} shift={drift.confidence} />
      <Curves
        title="How surely a known part is shown"
        what="Known score"
        drift={drift}
        shift={drift.knownScore}
      />
      {pictures !== null && <p className="text-sm text-soft">{pictures}</p>}
      <p className="text-xs text-muted">
        Compared {formatScanTime(drift.lookedAt)}. Without taught parts, feedback and vehicle.
      </p>
    </div>
  );
}

type CurvesProps = { title: string; what: string; drift: Drift; shift: ScoreShift | null };

function Curves({ title, what, drift, shift }: CurvesProps) {
  if (shift === null) return null;
  return (
    <div className="grid grid-cols-1 gap-2">
      <CurveChart
        title={title}
        summary={gapText(what, drift, shift)}
        caption="The share at or below each mark; the marks are denser towards 100%."
        what={`${what} at most`}
        series={['Your scans', 'Calibration photos']}
        points={curvesOf(drift, shift)}
        format={formatPercent}
      />
      <p className="text-sm text-soft">{gapText(what, drift, shift)}</p>
    </div>
  );
}
