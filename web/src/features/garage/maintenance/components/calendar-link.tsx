import { useMutation, useQuery } from '@tanstack/react-query';
import { CalendarDays, Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { maintenanceMutations } from '@/features/garage/maintenance/mutations';
import { maintenanceQueries } from '@/features/garage/maintenance/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useOneAtATime } from '@/hooks/use-one-at-a-time';
import { formatDate } from '@/lib/format';

/** The private address under which calendar programs read what is due. */
export function CalendarLink() {
  const status = useQuery(maintenanceQueries.calendar());
  const [address, setAddress] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const start = useOneAtATime();
  const onError = useFailure();
  const create = useMutation({
    mutationFn: maintenanceMutations.createCalendar,
    onSuccess: (made) => setAddress(addressOf(made)),
    onError,
  });
  const toast = useToast();
  const revoke = useMutation({
    mutationFn: maintenanceMutations.revokeCalendar,
    onSuccess: () => {
      setAddress(null);
      toast({ title: 'Calendar link ended', description: 'The old address no longer works.' });
    },
    onError,
  });
  const since = status.data?.createdAt ?? null;
  const busy = create.isPending || revoke.isPending;

  return (
    <Card aria-labelledby="calendar-title" className="grid content-start gap-4">
      <h2
        id="calendar-title"
        ref={heading}
        tabIndex={-1}
        className="section-title flex items-center gap-2"
      >
        <CalendarDays className="size-4.5 text-accent" aria-hidden />
        Calendar
      </h2>
      <p className="text-sm text-soft">
        A private link for your calendar program. It shows what is due on all vehicles and keeps
        itself up to date. Whoever has the link can read it.
      </p>
      <QueryState
        query={status}
        what="The calendar link"
        label="Loading the calendar link"
        rows={1}
      />
      {address !== null && <NewAddress address={address} />}
      {status.data != null && since === null && address === null && (
        <Button
          disabled={busy}
          onClick={() => {
            // The button goes with the link that it makes.
            heading.current?.focus();
            start(create.mutateAsync);
          }}
          className="justify-self-start"
        >
          {create.isPending ? 'Making it...' : 'Make Calendar Link'}
        </Button>
      )}
      {since !== null && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <p className="min-w-0 flex-1 basis-40 text-sm text-muted">
            There is a link since {formatDate(since)}.
          </p>
          <ConfirmDialog
            trigger={
              <Button size="small" disabled={busy}>
                New Link
              </Button>
            }
            title="Make a new calendar link?"
            description="The present link ends at once. Calendars that read it need the new one."
            confirmLabel="Make New Link"
            focusOnConfirm={heading}
            onConfirm={() => create.mutateAsync()}
          />
          <ConfirmDialog
            trigger={
              <Button look="danger" size="small" disabled={busy}>
                Revoke
              </Button>
            }
            title="Revoke the calendar link?"
            description="It ends at once. Calendars that read it will show nothing new."
            confirmLabel="Revoke Link"
            focusOnConfirm={heading}
            onConfirm={() => revoke.mutateAsync()}
          />
        </div>
      )}
    </Card>
  );
}

function NewAddress({ address }: { address: string }) {
  const toast = useToast();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address);
      toast({ title: 'Copied', description: 'Add it to your calendar program as a subscription.' });
    } catch {
      toast({
        title: 'Could not copy',
        description: 'The browser does not allow it here. Select the link and copy it yourself.',
        tone: 'bad',
      });
    }
  };
  return (
    <div role="status" className="grid gap-2 rounded-md bg-accent-wash p-3">
      <div className="flex items-end gap-2">
        <Field
          label="Calendar link"
          readOnly
          value={address}
          onFocus={(event) => event.target.select()}
          className="min-w-0 flex-1"
        />
        <Button onClick={() => void copy()}>
          <Copy className="size-4" aria-hidden />
          Copy
        </Button>
      </div>
      <p className="text-sm text-soft">Copy it now: for your safety it is shown only this once.</p>
    </div>
  );
}

/** With the server's own name where it is set, else with the one that this page came from. */
function addressOf({ url, path }: Schemas['CalendarAddress']): string {
  return url ?? new URL(path, window.location.origin).href;
}

function useFailure() {
  const fail = useFailureToast();
  return (error: Error) => fail(error, 'The calendar link could not be changed. Please try again.');
}
