import { useMutation, useQuery } from '@tanstack/react-query';
import { Monitor } from 'lucide-react';
import { useRef, useState, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { authMutations } from '@/features/accounts/auth/mutations';
import { authQueries } from '@/features/accounts/auth/queries';
import { useSignedOut } from '@/features/accounts/auth/use-signed-out';
import { countOf, formatScanTime } from '@/lib/format';

/** Who has many browsers rarely looks for one of the old ones. */
const SESSIONS_SHOWN = 3;

/** The signed-in browsers, and the way to sign them out. */
export function SessionsCard() {
  const sessions = useQuery(authQueries.sessions());
  const list = useRef<HTMLUListElement>(null);
  const [all, setAll] = useState(false);
  // This browser always stands there: it is the one that is known.
  const known = sessions.data?.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent)) ?? [];
  const shown = all ? known : known.slice(0, SESSIONS_SHOWN);
  return (
    <SettingsCard
      title="Signed-in browsers"
      description="If you do not know one of them, sign it out and change your password."
      action={<SignOutEverywhere focusOnConfirm={list} />}
    >
      <QueryState
        query={sessions}
        what="Your sessions"
        label="Loading sessions"
        rows={2}
        rowClassName="h-14"
      />
      <ul
        ref={list}
        tabIndex={-1}
        aria-label="Sessions"
        className="grid grid-cols-1 divide-y rounded-md border empty:hidden"
      >
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} list={list} />
        ))}
      </ul>
      {shown.length < known.length && (
        <Button
          look="ghost"
          size="small"
          className="justify-self-start"
          onClick={() => {
            setAll(true);
            // The button goes, and with it the focus.
            list.current?.focus();
          }}
        >
          Show all {countOf(known.length, 'browser')}
        </Button>
      )}
    </SettingsCard>
  );
}

type SessionRowProps = {
  session: Schemas['Session'];
  /** Takes the focus when the row goes. */
  list: RefObject<HTMLElement | null>;
};

function SessionRow({ session, list }: SessionRowProps) {
  const toast = useToast();
  const row = useRef<HTMLLIElement>(null);
  const end = useMutation({
    mutationFn: authMutations.endSession,
    onSuccess: () => {
      toast({ title: 'Signed out', description: 'That browser is no longer signed in.' });
      // Who has moved on meanwhile stays there; a button that is disabled has no focus any more.
      const { activeElement, body } = document;
      if (activeElement === body || row.current?.contains(activeElement)) list.current?.focus();
    },
    onError: (error) => toast(failureMessage('The browser could not be signed out', error)),
  });
  const name = session.browser === '' ? 'Unknown browser' : session.browser;
  return (
    <li ref={row} className="flex flex-wrap items-center gap-3 p-3">
      <Monitor className="size-5 shrink-0 text-muted" aria-hidden />
      <div className="min-w-0 flex-1 basis-40">
        <p className="text-sm font-medium">{name}</p>
        <p className="text-xs text-muted">
          {session.signInMethod === 'provider' ? 'Signed in with Google' : 'Signed in by e-mail'}
          {', last used '}
          {formatScanTime(session.lastSeenAt)}
        </p>
      </div>
      {session.isCurrent ? (
        <Badge tone="good">This browser</Badge>
      ) : (
        <Button
          size="small"
          aria-label={`Sign out ${name}`}
          disabled={end.isPending}
          onClick={() => end.mutate(session.id)}
        >
          Sign out
        </Button>
      )}
    </li>
  );
}

type SignOutEverywhereProps = { focusOnConfirm: RefObject<HTMLElement | null> };

function SignOutEverywhere({ focusOnConfirm }: SignOutEverywhereProps) {
  const toast = useToast();
  const signedOut = useSignedOut();
  const signOut = useMutation({
    mutationFn: authMutations.signOutEverywhere,
    onSuccess: () => {
      toast({ title: 'Signed out everywhere', description: 'Sign in again to go on.' });
      signedOut();
    },
    onError: (error) => toast(failureMessage('Signing out failed', error)),
  });
  return (
    <ConfirmDialog
      trigger={
        <Button size="small" disabled={signOut.isPending}>
          Sign out everywhere
        </Button>
      }
      title="Sign out everywhere?"
      description="All browsers are signed out, this one included. API keys and the calendar address stay in force, and nothing that you saved is lost."
      confirmLabel="Sign out everywhere"
      onConfirm={() => signOut.mutateAsync()}
      focusOnConfirm={focusOnConfirm}
    />
  );
}
