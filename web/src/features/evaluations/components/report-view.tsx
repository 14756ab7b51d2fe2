import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useNavigate } from 'react-router';
import { BackLink } from '@/components/back-link';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';
import { Compare } from '@/features/evaluations/components/compare';
import { Running } from '@/features/evaluations/components/evaluations-card';
import { Mistakes, UnlikelyLabels } from '@/features/evaluations/components/report-pictures';
import {
  Confusions,
  Failures,
  Labels,
  Slices,
  UnknownLabels,
} from '@/features/evaluations/components/report-tables';
import {
  countText,
  coverageText,
  hasEnded,
  intervalText,
  labelNoiseText,
  proportionText,
  shareText,
} from '@/features/evaluations/model';
import { evaluationMutations } from '@/features/evaluations/mutations';
import {
  evaluationQueries,
  fileHref,
  type Evaluation,
  type Report,
} from '@/features/evaluations/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf, formatScanTime } from '@/lib/format';

const FILES = [
  ['report.json', 'All figures as JSON'],
  ['photos.csv', 'Photos as CSV'],
  ['classes.csv', 'Types as CSV'],
  ['confusion.csv', 'Confusions as CSV'],
  ['rejection.csv', 'Unknown types as CSV'],
  ['wrong-labels.csv', 'Labels to check as CSV'],
] as const;

/** What one evaluation measured. */
export function ReportView({ id }: { id: string }) {
  const evaluation = useQuery(evaluationQueries.one(id));
  return (
    <>
      <BackLink to={paths.shopAccuracy}>All evaluations</BackLink>
      <QueryState query={evaluation} what="The evaluation" label="Loading the evaluation" />
      {evaluation.data !== undefined &&
        (evaluation.data.report === null ? (
          <Unfinished evaluation={evaluation.data} readAt={evaluation.dataUpdatedAt} />
        ) : (
          <Finished evaluation={evaluation.data} report={evaluation.data.report} />
        ))}
    </>
  );
}

function Unfinished({ evaluation, readAt }: { evaluation: Evaluation; readAt: number }) {
  if (!hasEnded(evaluation)) return <Running evaluation={evaluation} readAt={readAt} />;
  return (
    <Notice
      tone={evaluation.state === 'failed' ? 'bad' : 'info'}
      title={
        evaluation.state === 'failed' ? 'The evaluation failed' : 'The evaluation was cancelled'
      }
    >
      {evaluation.problem ?? 'Its photos are deleted. Send them again to measure them.'}
    </Notice>
  );
}

type FinishedProps = { evaluation: Evaluation; report: Report };

function Finished({ evaluation, report }: FinishedProps) {
  const { id, name, createdAt, model, photos } = evaluation;
  // Earlier evaluations lack this file, and without unknown types it is empty.
  const files = FILES.filter(
    ([file]) => file !== 'rejection.csv' || report.unknownLabels.length > 0,
  );
  return (
    <>
      <SettingsCard
        title={name}
        description={`${formatScanTime(createdAt)}, ${countOf(photos, 'photo')}, ${model ?? 'the model in use'}`}
        action={<Remove evaluation={evaluation} />}
      >
        <Headline report={report} />
        {report.notices.length > 0 && (
          <Notice tone="info" title="Please note">
            <ul className="grid gap-1">
              {report.notices.map((notice) => (
                <li key={notice} className="wrap-anywhere">
                  <WithCode sentence={notice} />
                </li>
              ))}
            </ul>
          </Notice>
        )}
        <div className="flex flex-wrap gap-2">
          <Button asChild look="primary">
            <a href={fileHref(id, 'index.html')} target="_blank" rel="noreferrer">
              Full Report
            </a>
          </Button>
          {files.map(([file, text]) => (
            <Button key={file} asChild>
              <a href={fileHref(id, file)} download>
                {text}
              </a>
            </Button>
          ))}
        </div>
      </SettingsCard>
      <Compare id={id} />
      <Labels report={report} />
      <Confusions report={report} />
      <UnknownLabels report={report} />
      <Slices report={report} />
      <Mistakes id={id} report={report} />
      <UnlikelyLabels id={id} report={report} />
      <Failures report={report} />
    </>
  );
}

/** A sentence with what stands between backticks set as code. */
function WithCode({ sentence }: { sentence: string }) {
  return sentence
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}

function Headline({ report }: { report: Report }) {
  const noise = labelNoiseText(report);
  const { top1, top5, ece, eceByChance, coverage, noneOfThese, rejectAuroc, lookalikeCount } =
    report;
  const figures: [name: string, value: string, note: string][] = [];
  for (const [figure, what] of [
    [top1, 'Top-1 accuracy'],
    [top5, 'Top-5 accuracy'],
  ] as const) {
    const note =
      figure.total === 0
        ? 'No photo of a part that the model knows.'
        : `${countText(figure)}, 95% interval ${intervalText(figure)}`;
    figures.push([what, proportionText(figure), note]);
  }
  for (const at of coverage) {
    const share = at.total === 0 ? '–' : shareText(at.answered / at.total);
    figures.push([
      `Coverage at ${Math.round(at.maxWrong * 100)}% selective risk`,
      share,
      coverageText(at),
    ]);
  }
  figures.push([
    'Expected calibration error (ECE)',
    ece === null ? '–' : ece.toFixed(3),
    eceByChance === null
      ? '0 is perfect.'
      : `${eceByChance.toFixed(3)} expected by chance with this number of photos.`,
  ]);
  figures.push([
    'False identification rate',
    proportionText(noneOfThese),
    noneOfThese.total === 0
      ? 'Add photos of other things in a folder not-a-part to measure this.'
      : `${countText(noneOfThese)} photos of unknown types were identified, 95% interval ${intervalText(noneOfThese)}${rejectAuroc === null ? '' : `; AUROC, known against unknown: ${rejectAuroc.toFixed(3)}`}. Measured at the threshold that the model suggests, whatever is chosen under How Sure an Answer Must Be.`,
  ]);
  return (
    <>
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        {figures.map(([name, value, note]) => (
          <div key={name}>
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="text-2xl font-semibold tabular-nums">{value}</dd>
            <dd className="text-sm text-soft">{note}</dd>
          </div>
        ))}
      </dl>
      {noise !== null && <p className="text-sm text-soft">{noise}</p>}
      <p className="text-sm text-muted">
        The model alone: parts that you taught, feedback, vehicles and second opinions are not in
        it. The thresholds of the coverage were chosen on these photos, so expect more wrong answers
        on others.
        {lookalikeCount > 0 &&
          ` ${countOf(lookalikeCount, 'photo')} ${lookalikeCount === 1 ? 'looks' : 'look'} like another one, or like one that the model was trained on; the full report gives the figures without them.`}
      </p>
    </>
  );
}

function Remove({ evaluation: { id, name } }: { evaluation: Evaluation }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const fail = useFailureToast();
  const link = useRef<HTMLSpanElement>(null);
  const remove = useMutation({
    mutationFn: evaluationMutations.remove,
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: ['evaluations', 'one', { id }] });
      void queryClient.invalidateQueries({ queryKey: ['evaluations', 'list'] });
      return navigate(paths.shopAccuracy, { replace: true });
    },
    onError: (error) => fail(error, 'The evaluation could not be deleted. Please try again.'),
  });
  return (
    <span ref={link} tabIndex={-1}>
      <ConfirmDialog
        trigger={
          <Button size="small" look="ghost" disabled={remove.isPending}>
            Delete
          </Button>
        }
        title={`Delete ${name}?`}
        description="Its figures, its report and the small pictures in it are deleted for good."
        confirmLabel="Delete"
        onConfirm={() => remove.mutateAsync(id)}
        focusOnConfirm={link}
      />
    </span>
  );
}
