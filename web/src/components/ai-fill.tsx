import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { Sparkles, Trash2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';
import { useSessionEnd } from '@/hooks/use-session-end';
import { formatDate } from '@/lib/format';

/** Marks what a language model filled in, in the server's own words. */
function AiBadge({ label }: { label: string }) {
  return (
    <Badge tone="warn">
      <Sparkles className="size-3" aria-hidden />
      {label}
    </Badge>
  );
}

/** Reasons for which asking is pointless until somebody changes a setting or a plan. */
const SETTLED = ['not-configured', 'not-in-plan', 'not-allowed'];

/** Why the language model has not answered, by the reason of the server. */
const FAILURES: Record<string, string> = {
  'tenant-day-budget': 'What may be spent in a day is spent. Try again tomorrow.',
  'tenant-month-budget': 'What may be spent in a month is spent.',
  'server-day-budget': 'This server has spent what it may in a day. Try again tomorrow.',
  'server-month-budget': 'This server has spent what it may in a month.',
  'timed-out': 'It took too long.',
  refused: 'It would not answer.',
  'key-rejected': 'It rejects the key of this server. Ask whoever runs this server to check it.',
  'answer-too-large': 'Its answer could not be used.',
  'answer-unreadable': 'Its answer could not be used.',
};

type AiFillProps = {
  ai: Schemas['AiFill'];
  /** What is missing, to begin a sentence: `The oil of this car`. */
  what: string;
  /** What goes out with the question: `year, make, model and engine`. */
  sends: string;
  /** Asks the model; what comes of it says so itself, and is not kept where it was not reached. */
  ask: () => Promise<AskAnswer>;
  /** Throws away what it said. */
  remove: () => Promise<unknown>;
};

type AskAnswer = { ai: Schemas['AiFill'] | null };

/** What a language model has to do with an answer: who filled it in, or the way to have it filled in. */
export function AiFill({ ai, what, sends, ...actions }: AiFillProps) {
  const endSession = useSessionEnd();
  const onError = (error: Error) => {
    if (isSignedOut(error)) endSession();
  };
  const ask = useMutation({ mutationFn: actions.ask, onError });
  const remove = useMutation({ mutationFn: actions.remove, onError });
  const group = useRef<HTMLDivElement>(null);
  // The pressed button goes with what it did, and would leave the focus nowhere.
  const pressed = useRef(false);
  useEffect(() => {
    if (!pressed.current || group.current?.contains(document.activeElement) === true) return;
    pressed.current = false;
    if (document.activeElement === document.body) group.current?.focus();
  });
  const answered = ask.data?.ai?.status === 'not-asked' ? ask.data.ai.reason : null;
  const reason = answered ?? ai.reason;
  if (reason === 'not-configured') return null;
  const failure = reason !== null && !SETTLED.includes(reason) ? failureText(reason) : null;
  return (
    <div
      ref={group}
      tabIndex={-1}
      role="group"
      aria-label="Filled in by AI"
      className="grid gap-2.5 rounded-md border p-3 text-sm"
    >
      <div className="flex flex-wrap items-center gap-2">
        {ai.label !== null && <AiBadge label={ai.label} />}
        <p className="min-w-0 flex-1 basis-52 text-soft wrap-anywhere">
          {stateText(ai, reason, what, sends)}
        </p>
      </div>
      {reason === 'not-allowed' && (
        <Button asChild size="small" className="justify-self-start">
          <Link to={paths.shopAccuracy}>Allow a Second Opinion</Link>
        </Button>
      )}
      {reason === 'not-in-plan' && (
        <Button asChild size="small" className="justify-self-start">
          <Link to={paths.pricing}>See Plans</Link>
        </Button>
      )}
      {failure !== null && (
        // What comes of a question is read out; what was so before is not.
        <div role={answered === null ? undefined : 'alert'}>
          <Notice tone="warn" title="The AI has not answered">
            {failure}
          </Notice>
        </div>
      )}
      <Refusal error={ask.error} fallback="The AI could not be asked. Please try again." />
      {isAskable(ai, reason) && (
        <Button
          size="small"
          onClick={() => {
            if (ask.isPending) return;
            pressed.current = true;
            remove.reset();
            ask.mutate();
          }}
          // Disabled outright, it would lose the focus while it waits.
          aria-disabled={ask.isPending}
          className="justify-self-start"
        >
          <Sparkles className="size-4" aria-hidden />
          {ask.isPending ? 'Asking...' : 'Ask the AI'}
        </Button>
      )}
      {ai.mayRemove && (
        <Button
          size="small"
          look="ghost"
          onClick={() => {
            if (remove.isPending) return;
            pressed.current = true;
            ask.reset();
            remove.mutate();
          }}
          aria-disabled={remove.isPending}
          className="justify-self-start"
        >
          <Trash2 className="size-4" aria-hidden />
          {remove.isPending ? 'Removing...' : 'Wrong? Remove'}
        </Button>
      )}
      <Refusal error={remove.error} fallback="It could not be removed. Please try again." />
      <p role="status" className="sr-only">
        {askText(ask)}
        {remove.isPending && 'Removing'}
        {remove.isSuccess && 'What the AI said is removed'}
      </p>
    </div>
  );
}

/** The end of a session is said elsewhere. */
function Refusal({ error, fallback }: { error: unknown; fallback: string }) {
  if (error == null || isSignedOut(error)) return null;
  return (
    <div role="alert">
      <Notice tone="bad" title={sentenceOf(error, fallback)} />
    </div>
  );
}

/** How asking goes, for those who do not see it; why nothing came is said by itself. */
function askText({ isPending, data }: Asking): string | null {
  if (isPending) return 'Asking the AI';
  if (data?.ai?.status === 'filled') return 'The AI has answered';
  return data?.ai?.status === 'not-known' ? 'The AI gave no usable answer' : null;
}

type Asking = Pick<UseMutationResult<AskAnswer>, 'isPending' | 'data'>;

function isAskable(ai: Schemas['AiFill'], reason: string | null): boolean {
  if (ai.status === 'askable') return true;
  return ai.status === 'not-asked' && reason !== null && !SETTLED.includes(reason);
}

function failureText(reason: string): string {
  return FAILURES[reason] ?? 'It cannot be reached now. Try again later.';
}

function stateText(
  ai: Schemas['AiFill'],
  reason: string | null,
  what: string,
  sends: string,
): string {
  const by = ai.model ?? 'An AI';
  const on = ai.filledAt === null ? '' : ` on ${formatDate(ai.filledAt)}`;
  if (ai.status === 'filled') {
    return `${by} filled this in${on}. Nobody has checked it, and it may be wrong: compare it with the manual before you rely on it.`;
  }
  if (ai.status === 'not-known')
    return `${what} is not known. ${by} was asked${on} and gave no usable answer. It can be asked again later.`;
  if (reason === 'not-in-plan')
    return `${what} is not known. An AI can be asked with another plan.`;
  if (reason === 'not-allowed') {
    return `${what} is not known. An AI can be asked once the second opinion is allowed.`;
  }
  return `${what} is not known. An AI can be asked; it gets ${sends}, and nothing else.`;
}
