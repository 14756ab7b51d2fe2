import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { EmptyState } from '@/components/empty-state';
import { Logbook } from '@/components/pictures';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field } from '@/components/ui/field';
import { batchHref, NEW_BATCH } from '@/config/paths';
import { BatchStateBadge } from '@/features/batches/components/batch-state-badge';
import { progressOf } from '@/features/batches/model';
import { batchMutations } from '@/features/batches/mutations';
import { batchQueries } from '@/features/batches/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useKeyedCall } from '@/hooks/use-keyed-call';
import { countOf } from '@/lib/format';

/** The batches of a person, and the way to a new one. */
export function BatchList() {
  const batches = useQuery(batchQueries.list());
  const list = batches.data ?? [];
  return (
    <>
      <NewBatch />
      <Card aria-labelledby="batches-title" className="grid grid-cols-1 gap-3">
        <h2 id="batches-title" className="section-title">
          Your batches
        </h2>
        <QueryState query={batches} what="Your batches" label="Loading batches" />
        {batches.data !== undefined && list.length === 0 && (
          <EmptyState picture={<Logbook />} title="No batches yet">
            Name one above, drop a folder of photos on it, and read the answers as they come.
          </EmptyState>
        )}
        <ul className="divide-y empty:hidden">
          {list.map((batch) => (
            <li
              key={batch.id}
              className="relative flex flex-wrap items-center justify-between gap-3 py-3"
            >
              <div className="min-w-0">
                <Link
                  to={batchHref(batch.id)}
                  className="font-medium wrap-anywhere underline-offset-4 after:absolute after:inset-0 hover:underline"
                >
                  {batch.name}
                </Link>
                <p className="text-sm text-muted">
                  {countOf(batch.counts.total, 'photo')}
                  {batch.state !== 'open' && `, ${progressOf(batch).finished} finished`}
                </p>
              </div>
              <BatchStateBadge state={batch.state} />
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}

function NewBatch() {
  const [name, setName] = useState('');
  const [readText, setReadText] = useState(false);
  const navigate = useNavigate();
  const fail = useFailureToast();
  // Set at once, before the button is drawn anew, and still while the screen of the batch is loaded.
  const isSent = useRef(false);
  const make = useKeyedCall(batchMutations.create);
  const create = useMutation({
    mutationFn: make,
    onSuccess: (batch) => navigate(batchHref(batch.id), { state: NEW_BATCH }),
    onError: (error) => {
      isSent.current = false;
      fail(error, 'The batch could not be made. Please try again.');
    },
  });
  return (
    <Card>
      <form
        aria-label="New batch"
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSent.current) return;
          isSent.current = true;
          create.mutate({ name, readText });
        }}
      >
        <Field
          label="Name of the batch"
          placeholder="Returns of Monday"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          className="min-w-0 flex-1 basis-56"
        />
        <label className="flex min-h-8 basis-full items-center gap-3 text-sm">
          <input
            type="checkbox"
            checked={readText}
            onChange={(event) => setReadText(event.target.checked)}
            className="size-5 shrink-0 accent-accent"
          />
          Read the numbers on the parts too. The batch takes many times as long.
        </label>
        <Button
          type="submit"
          look="primary"
          disabled={create.isPending || create.isSuccess || name.trim() === ''}
        >
          New Batch
        </Button>
      </form>
    </Card>
  );
}
