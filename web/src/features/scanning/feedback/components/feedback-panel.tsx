import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, CircleSlash, Replace } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { partSearchQuery } from '@/api/part-search';
import { PartSearchBox } from '@/components/part-search-box';
import { Button } from '@/components/ui/button';
import { GivenFeedback } from '@/features/scanning/feedback/components/given-feedback';
import { feedbackMutations } from '@/features/scanning/feedback/mutations';
import { namesPart, namingTexts } from '@/features/scanning/result/read-lines';
import { readingQuery } from '@/features/scanning/result/reading-queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { classNames } from '@/lib/class-names';

type FeedbackPanelProps = {
  scanId: string;
  partName: string;
  /** What was said of the scan before; null where nothing was. */
  feedback: Schemas['ScanFeedback'] | null;
};

/** What was said here; undefined until something was. Null is a taken-back answer. */
type Said = Schemas['GivenScanFeedback'] | null | undefined;

/** Whether the answer to a scan was right, as the person who holds the part says. */
export function FeedbackPanel({ scanId, partName, feedback }: FeedbackPanelProps) {
  const titleId = useId();
  const fail = useFailureToast();
  const heading = useRef<HTMLHeadingElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState<Said>(undefined);
  const [choosing, setChoosing] = useState(false);
  // What is typed into the search; the words of a choice that was not saved are there to choose again.
  const [typed, setTyped] = useState('');
  const [offered, setOffered] = useState('');
  const queries = useQueryClient();
  const { data: reading } = useQuery(readingQuery(scanId));
  // An answer is shown as if it were saved, and taken back where it could not be. Also whoever has gone on to the next
  // scan is told.
  const give = useMutation({
    mutationFn: feedbackMutations.give(scanId),
    onMutate: () => said,
    onSuccess: (given) => setSaid(given),
    onError: (error, { answer }, saidBefore) => {
      setSaid(saidBefore);
      setChoosing(answer === 'other-part');
      fail(error, 'Your answer could not be saved. Please try again.');
    },
  });
  const remove = useMutation({
    mutationFn: feedbackMutations.remove(scanId),
    onSuccess: () => setSaid(null),
    onError: (error) => fail(error, 'Your answer could not be deleted. Please try again.'),
  });
  const busy = give.isPending || remove.isPending;
  const before = feedback === null ? null : { feedback, notTaught: null };
  const current = said === undefined ? before : said;

  /** Puts into the search what was read on the part, where it names one and nothing has been typed yet. */
  const offerRead = useEffectEvent(async () => {
    const isUntouched = () => search.current?.value === '';
    for (const read of reading === undefined ? [] : namingTexts(reading)) {
      if (!isUntouched()) return;
      // A search that fails says so where it is used.
      const found = await queries.query(partSearchQuery(read.text)).catch(() => null);
      if (found === null || !namesPart(read, found)) continue;
      if (isUntouched()) {
        setTyped(read.text);
        setOffered(read.text);
      }
      return;
    }
  });
  useEffect(() => {
    if (!choosing) return;
    search.current?.focus();
    void offerRead();
  }, [choosing]);
  useEffect(() => {
    // Whoever knows better types over it.
    if (offered !== '') search.current?.select();
  }, [offered]);

  const say = (body: Schemas['NewScanFeedback'], name: string | null, words = '') => {
    if (busy) return;
    setChoosing(false);
    setTyped(words);
    // The search goes, and with it the focus; the buttons keep it.
    if (body.answer === 'other-part') heading.current?.focus();
    setSaid(expected(body, name));
    give.mutate(body);
  };
  const takeBack = () => {
    if (busy) return;
    // The button goes with the answer.
    heading.current?.focus();
    remove.mutate();
  };
  const answer = current?.feedback.answer;
  return (
    <section
      aria-labelledby={titleId}
      className="grid grid-cols-1 gap-3 rounded-md border bg-canvas/40 p-3.5"
    >
      <h4 id={titleId} ref={heading} tabIndex={-1} className="section-title">
        Is it {partName}?
      </h4>
      {/* On a phone the long one has a row of its own. */}
      <div className="grid grid-cols-2 gap-2 min-[26rem]:grid-cols-[1fr_1fr_1.5fr]">
        <Choice
          icon={<Check className="size-4 shrink-0" aria-hidden />}
          chosen={answer === 'right'}
          busy={busy}
          onChoose={() => say({ answer: 'right' }, partName)}
        >
          Right
        </Choice>
        <Choice
          icon={<CircleSlash className="size-4 shrink-0" aria-hidden />}
          chosen={answer === 'not-a-part'}
          busy={busy}
          onChoose={() => say({ answer: 'not-a-part' }, null)}
        >
          Not a part
        </Choice>
        <Choice
          icon={<Replace className="size-4 shrink-0" aria-hidden />}
          chosen={answer === 'other-part'}
          busy={busy}
          opens={choosing}
          className="max-[26rem]:col-span-2"
          onChoose={() => {
            if (busy) return;
            setTyped('');
            setOffered('');
            setChoosing(!choosing);
          }}
        >
          It is something else
        </Choice>
      </div>
      {choosing && (
        <PartSearchBox
          label="Which part is it?"
          inputRef={search}
          kept={[typed, setTyped]}
          onChoose={({ label, name }, words) => say({ answer: 'other-part', label }, name, words)}
        />
      )}
      <div role="status" className="empty:hidden">
        {remove.isPending && <p className="text-sm text-muted">Deleting...</p>}
        {!remove.isPending && current !== null && (
          <GivenFeedback given={current} saving={give.isPending} onTakeBack={takeBack} />
        )}
      </div>
    </section>
  );
}

/** What the server will say, but for what it makes of the photo. */
function expected(
  { answer, label = null }: Schemas['NewScanFeedback'],
  name: string | null,
): Schemas['GivenScanFeedback'] {
  const changedAt = new Date().toISOString();
  return { feedback: { answer, label, name, referenceId: null, changedAt }, notTaught: null };
}

type ChoiceProps = {
  icon: ReactNode;
  chosen: boolean;
  /** Nothing is taken now. Not disabled: the button keeps the focus. */
  busy: boolean;
  /** Whether the choice has opened a question of its own. */
  opens?: boolean;
  className?: string;
  onChoose: () => void;
  children: ReactNode;
};

function Choice({ icon, chosen, busy, opens, className, onChoose, children }: ChoiceProps) {
  return (
    <Button
      size="small"
      aria-pressed={chosen}
      aria-expanded={opens}
      aria-disabled={busy}
      onClick={onChoose}
      className={classNames(
        'px-2',
        className,
        chosen && 'border-accent! bg-accent-wash! text-accent!',
      )}
    >
      {icon}
      {children}
    </Button>
  );
}
