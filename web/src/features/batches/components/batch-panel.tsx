import { useMutation, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Notice } from '@/components/ui/notice';
import { ProgressBar } from '@/components/ui/progress-bar';
import { useToast } from '@/components/ui/use-toast';
import { batchSheetHref, isNewBatch, paths } from '@/config/paths';
import { BatchItems } from '@/features/batches/components/batch-items';
import { BatchStateBadge } from '@/features/batches/components/batch-state-badge';
import { UploadCard } from '@/features/batches/components/upload-card';
import { progressOf, progressText } from '@/features/batches/model';
import { batchMutations } from '@/features/batches/mutations';
import { batchQueries, resultsHref, type Batch } from '@/features/batches/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf } from '@/lib/format';

/** Polls that failed in a row, from which on that is said: a single one is often no more than a blink. */
const FAILED_POLLS = 2;

/** One batch: its photos come in, its answers fill the grid, its results go out. */
export function BatchPanel({ id }: { id: string }) {
  const batch = useQuery(batchQueries.one(id));
  const nFailed = useFailuresInARow(batch);
  const isAway = batch.data?.state === 'running' && nFailed >= FAILED_POLLS;
  return (
    <>
      <QueryState query={batch} what="The batch" label="Loading the batch" />
      {batch.data !== undefined && (
        <>
          <Progress batch={batch.data} isAway={isAway} />
          {batch.data.state !== 'cancelled' && <UploadCard batchId={id} />}
          {batch.data.counts.total > 0 && <BatchItems batch={batch.data} />}
        </>
      )}
    </>
  );
}

/** How many reads have failed since the last one that had an answer. */
function useFailuresInARow({ dataUpdatedAt, errorUpdateCount }: UseQueryResult): number {
  const [before, setBefore] = useState({ dataUpdatedAt, errorUpdateCount });
  if (before.dataUpdatedAt === dataUpdatedAt) return errorUpdateCount - before.errorUpdateCount;
  setBefore({ dataUpdatedAt, errorUpdateCount });
  return 0;
}

function Progress({ batch, isAway }: { batch: Batch; isAway: boolean }) {
  const title = useRef<HTMLHeadingElement>(null);
  const location = useLocation();
  const isNew = isNewBatch(location.state);
  const navigate = useNavigate();
  useEffect(() => {
    if (!isNew) return;
    // The button that made the batch is gone, and with it the focus.
    title.current?.focus({ preventScroll: true });
    void navigate({ search: location.search }, { replace: true, preventScrollReset: true });
  }, [isNew, navigate, location.search]);
  const { finished, total } = progressOf(batch);
  return (
    <Card aria-labelledby="batch-title" className="grid grid-cols-1 gap-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="batch-title" ref={title} tabIndex={-1} className="section-title wrap-anywhere">
          {batch.name}
        </h2>
        <BatchStateBadge state={batch.state} />
      </header>
      {batch.reason !== null && (
        <Notice
          tone="warn"
          title={batch.state === 'running' ? 'The batch waits' : 'The batch stopped'}
          action={
            batch.state !== 'running' && (
              <Button asChild size="small">
                <Link to={paths.pricing}>See Plans</Link>
              </Button>
            )
          }
        >
          {batch.reason}
        </Notice>
      )}
      <div>
        <ProgressBar
          className="w-full"
          aria-label="Photos with an answer"
          value={finished}
          max={Math.max(total, 1)}
        />
        <p role="status" className="mt-1 text-sm text-soft">
          {progressText(batch)}
        </p>
        <p role="status" className="mt-1 text-sm text-warn empty:hidden">
          {isAway &&
            'The server cannot be reached, so these numbers are old. They go on by themselves once it is back.'}
        </p>
        {batch.readText && (
          <p className="mt-1 text-sm text-soft">The numbers on the parts are read too.</p>
        )}
      </div>
      <Actions batch={batch} title={title} />
    </Card>
  );
}

type ActionsProps = {
  batch: Batch;
  /** Takes the focus when the button that was pressed goes. */
  title: RefObject<HTMLElement | null>;
};

function Actions({ batch, title }: ActionsProps) {
  const { id, state, counts } = batch;
  const navigate = useNavigate();
  const fail = useFailureToast();
  const onError = (error: unknown) =>
    fail(error, 'The server cannot be reached. Please try again.');
  const onSuccess = () => title.current?.focus();
  const start = useMutation({ mutationFn: batchMutations.start, onSuccess, onError });
  const cancel = useMutation({ mutationFn: batchMutations.cancel, onSuccess, onError });
  const toast = useToast();
  // Those that no try changed: which photos are kept, the server says in no other way.
  const [nNotKept, setNotKept] = useState(0);
  const retry = useMutation({
    mutationFn: batchMutations.retry,
    onSuccess: ({ counts: left }) => {
      onSuccess();
      const nLeft = left.failed + left.cancelled;
      setNotKept(nLeft);
      if (nLeft === 0) return;
      toast({
        title: `${countOf(nLeft, 'photo')} cannot be tried again`,
        // It was too large. Its file is in the batch already, so it would not be sent a second time.
        description: `A photo refused on arrival is not kept. ${nLeft === 1 ? 'It says why: send a smaller copy.' : 'Each says why: send smaller copies.'}`,
      });
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: batchMutations.remove,
    onSuccess: () => navigate(paths.batches),
    onError,
  });
  const again = counts.failed + counts.cancelled - nNotKept;
  return (
    <div className="flex flex-wrap gap-2">
      {(state === 'open' || state === 'stopped') && counts.total > 0 && (
        <Button look="primary" disabled={start.isPending} onClick={() => start.mutate(id)}>
          {state === 'open' ? 'Start' : 'Go On'}
        </Button>
      )}
      {(state === 'running' || state === 'stopped') && (
        <Button disabled={cancel.isPending} onClick={() => cancel.mutate(id)}>
          Cancel the Rest
        </Button>
      )}
      {again > 0 && state !== 'running' && (
        <Button disabled={retry.isPending} onClick={() => retry.mutate(id)}>
          Try {again} Again
        </Button>
      )}
      {/* Before it is started there are no results. */}
      {state !== 'open' && counts.total > 0 && (
        <>
          <Button asChild>
            <a href={resultsHref(id, 'csv')} download>
              Results as CSV
            </a>
          </Button>
          <Button asChild>
            <a href={resultsHref(id, 'xlsx')} download>
              Excel Sheet with Photos
            </a>
          </Button>
          <Button asChild>
            <a href={resultsHref(id, 'jsonl')} download>
              JSON Lines
            </a>
          </Button>
          <Button asChild>
            <a href={resultsHref(id, 'parquet')} download>
              Parquet
            </a>
          </Button>
          <Button asChild>
            <Link to={batchSheetHref(id)}>Return Sheet</Link>
          </Button>
        </>
      )}
      <ConfirmDialog
        trigger={
          <Button look="ghost" disabled={remove.isPending}>
            Delete the Batch
          </Button>
        }
        title={`Delete ${batch.name}?`}
        description="The list and the waiting photos are deleted for good. The answers stay in your history."
        confirmLabel="Delete"
        onConfirm={() => remove.mutateAsync(id)}
        focusOnConfirm={title}
      />
    </div>
  );
}
