import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, type RefObject } from 'react';
import { Link } from 'react-router';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { ProgressBar } from '@/components/ui/progress-bar';
import { paths } from '@/config/paths';
import { EvaluationStateBadge } from '@/features/evaluations/components/evaluation-state-badge';
import { NewEvaluation } from '@/features/evaluations/components/new-evaluation';
import {
  countText,
  evaluationHref,
  hasEnded,
  proportionText,
  timeLeft,
} from '@/features/evaluations/model';
import { evaluationMutations } from '@/features/evaluations/mutations';
import { evaluationQueries, type Evaluation } from '@/features/evaluations/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useOneAtATime } from '@/hooks/use-one-at-a-time';
import { countOf, formatScanTime } from '@/lib/format';

type EvaluationsCardProps = {
  /** Whether the plan includes new ones. */
  inPlan: boolean;
};

/** Evaluations of the shop: the one under way, earlier ones, and the way to a new one. */
export function EvaluationsCard({ inPlan }: EvaluationsCardProps) {
  const evaluations = useQuery(evaluationQueries.list());
  const list = evaluations.data ?? [];
  const title = useRef<HTMLDivElement>(null);
  const running = list.find((one) => !hasEnded(one));
  const earlier = list.filter(hasEnded);
  return (
    <SettingsCard
      title="Measure your own photos"
      description="How often the scanner is right on photos whose parts you know. They are deleted once it is measured."
    >
      <div ref={title} tabIndex={-1} className="grid grid-cols-1 gap-4 outline-none">
        <QueryState query={evaluations} what="Your evaluations" label="Loading evaluations" />
        {running !== undefined && (
          <Running evaluation={running} readAt={evaluations.dataUpdatedAt} />
        )}
        {evaluations.data !== undefined && running === undefined && inPlan && <NewEvaluation />}
        {!inPlan && (
          <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
            <p className="min-w-0 flex-1 basis-52 text-soft">
              Pro and Business measure how often the scanner is right on your own photos.
            </p>
            <Button asChild size="small">
              <Link to={paths.pricing}>See Plans</Link>
            </Button>
          </div>
        )}
        {earlier.length > 0 && (
          <section aria-label="Earlier evaluations">
            <h3 className="text-sm font-medium">Earlier evaluations</h3>
            <ul className="mt-1 divide-y">
              {earlier.map((one) => (
                <Earlier key={one.id} evaluation={one} onDeleted={title} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </SettingsCard>
  );
}

type RunningProps = {
  evaluation: Evaluation;
  /** When the server said so, in milliseconds since 1970. */
  readAt: number;
};

/** How far the one under way is. */
export function Running({ evaluation, readAt }: RunningProps) {
  const { id, name, state, done, photos } = evaluation;
  const queryClient = useQueryClient();
  const fail = useFailureToast();
  const start = useOneAtATime();
  const cancel = useMutation({
    mutationFn: evaluationMutations.cancel,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['evaluations'] }),
    onError: (error) => fail(error, 'The evaluation could not be cancelled. Please try again.'),
  });
  const left = timeLeft(evaluation, readAt);
  return (
    <div className="grid grid-cols-1 gap-2 rounded-lg border p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 font-medium wrap-anywhere">{name}</p>
        <EvaluationStateBadge state={state} />
      </div>
      <ProgressBar
        className="w-full"
        aria-label="Photos measured"
        value={done}
        max={Math.max(photos, 1)}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="text-sm text-soft">
          {state === 'running'
            ? `${done} of ${countOf(photos, 'photo')} measured${left === null ? '' : `, ${left}`}`
            : state === 'waiting'
              ? `${countOf(photos, 'photo')}; it begins when the server has time`
              : 'The photos are arriving'}
        </p>
        <Button
          size="small"
          disabled={cancel.isPending}
          onClick={() => start(() => cancel.mutateAsync(id))}
        >
          Cancel
        </Button>
      </div>
    </div>
  );
}

type EarlierProps = {
  evaluation: Evaluation;
  /** Takes the focus when the row goes. */
  onDeleted: RefObject<HTMLElement | null>;
};

function Earlier({ evaluation, onDeleted }: EarlierProps) {
  const { id, name, state, problem, createdAt, model, photos, known, right } = evaluation;
  const queryClient = useQueryClient();
  const fail = useFailureToast();
  const remove = useMutation({
    mutationFn: evaluationMutations.remove,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['evaluations'] }),
    onError: (error) => fail(error, 'The evaluation could not be deleted. Please try again.'),
  });
  const top1 = { count: right ?? 0, total: known ?? 0 };
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3">
      <div className="min-w-0 flex-1 basis-52">
        {state === 'done' ? (
          <Link
            to={evaluationHref(id)}
            className="font-medium wrap-anywhere underline-offset-4 hover:underline"
          >
            {name}
          </Link>
        ) : (
          <p className="font-medium wrap-anywhere">{name}</p>
        )}
        <p className="text-sm text-muted">
          {formatScanTime(createdAt)}, {countOf(photos, 'photo')}
          {model !== null && `, ${model}`}
        </p>
        {problem !== null && <p className="text-sm wrap-anywhere text-bad">{problem}</p>}
      </div>
      {state === 'done' ? (
        <Badge tone="outline">
          Top-1 accuracy {proportionText(top1)} ({countText(top1)})
        </Badge>
      ) : (
        <EvaluationStateBadge state={state} />
      )}
      <ConfirmDialog
        trigger={
          <Button size="small" look="ghost" disabled={remove.isPending}>
            Delete
            <span className="sr-only"> {name}</span>
          </Button>
        }
        title={`Delete ${name}?`}
        description="Its figures, its report and the small pictures in it are deleted for good."
        confirmLabel="Delete"
        onConfirm={() => remove.mutateAsync(id)}
        focusOnConfirm={onDeleted}
      />
    </li>
  );
}
