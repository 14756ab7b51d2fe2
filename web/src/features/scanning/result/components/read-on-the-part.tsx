import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Copy, Pencil, ScanText, Search } from 'lucide-react';
import { Fragment, useEffect, useId, useRef, useState, type SyntheticEvent } from 'react';
import { useNavigate } from 'react-router';
import type { Schemas } from '@/api/client';
import { PartSearchBox } from '@/components/part-search-box';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { partHref, shopPartHref } from '@/config/paths';
import { symbologyName } from '@/features/scanning/codes/code';
import { TextBoxes } from '@/features/scanning/result/components/text-boxes';
import { shortList } from '@/features/scanning/result/read-lines';
import {
  changesAnswer,
  readingMutations,
  readingQuery,
} from '@/features/scanning/result/reading-queries';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useCopy } from '@/hooks/use-copy';
import { useFailureToast } from '@/hooks/use-failure-toast';
import type { Photo } from '@/lib/photos/photo';

type Line = Schemas['ScanReadLine'];

type ReadOnThePartProps = {
  view: ScanView;
  /** The photos that were sent; none for a scan of the history. */
  photos: Photo[];
};

/** What the person does with a line at the moment. */
type Open = { line: number; act: 'search' | 'correct' } | null;

/** The longest text that the server takes for a line. */
const TEXT_MAX = 200;

/** The text on the photos of a scan. It comes after the answer, and on some servers not at all. */
export function ReadOnThePart({ view, photos }: ReadOnThePartProps) {
  const titleId = useId();
  const { data: reading } = useQuery(readingQuery(view.id));
  const [open, setOpen] = useState<Open>(null);
  const [shown, setShown] = useState(false);
  const [all, setAll] = useState(false);
  const [first, setFirst] = useState<{ scanId: string; places: number[] } | null>(null);
  useAmendedScans(reading);
  if (reading === undefined || reading.state === 'off' || reading.state === 'not-read') return null;
  if (reading.lines.length > 0 && first?.scanId !== view.id) {
    // Once for a scan: a line that is corrected stays where it is.
    setFirst({ scanId: view.id, places: shortList(reading.lines) });
  }
  const short = first?.places ?? [];
  const hidden = reading.lines.length - short.length;
  const listed = all ? reading.lines.map((_, index) => index) : short;
  return (
    <section aria-labelledby={titleId} className="grid grid-cols-1 gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id={titleId} className="flex items-center gap-2 text-sm font-semibold">
          <ScanText className="size-4 shrink-0 text-accent" aria-hidden />
          Read on the part
        </h3>
        {reading.lines.length > 0 && (
          <Button size="small" look="ghost" aria-pressed={shown} onClick={() => setShown(!shown)}>
            Show on the Photo
          </Button>
        )}
      </div>
      <p role="status" className={reading.lines.length > 0 ? 'sr-only' : 'text-sm text-muted'}>
        {statusOf(reading)}
      </p>
      {shown && <TextBoxes view={view} photos={photos} lines={reading.lines} />}
      {reading.lines.length > 0 && (
        <ol className="grid grid-cols-1 divide-y rounded-md border">
          {listed.map((index) => {
            const line = reading.lines[index];
            return (
              line !== undefined && (
                <ReadLine
                  key={index}
                  scanId={view.id}
                  index={index}
                  line={line}
                  act={open?.line === index ? open.act : null}
                  onAct={(act) => setOpen(act === null ? null : { line: index, act })}
                />
              )
            );
          })}
        </ol>
      )}
      {hidden > 0 && (
        <Button
          size="small"
          look="ghost"
          className="justify-self-start"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? 'Show Less' : `Show All ${reading.lines.length} Lines`}
        </Button>
      )}
    </section>
  );
}

function statusOf({ state, lines }: Schemas['ScanReading']): string {
  if (state === 'pending') return 'Reading text and codes on the part...';
  if (lines.length === 0) return 'No text and no code was found on the part.';
  return lines.length === 1 ? 'One line was read.' : `${lines.length} lines were read.`;
}

/** A number that settles or opens the answer has changed the scan on the server, too. */
function useAmendedScans(reading: Schemas['ScanReading'] | undefined) {
  const queries = useQueryClient();
  const readAt = reading?.readAt ?? null;
  const settles = changesAnswer(reading);
  useEffect(() => {
    if (readAt === null || !settles) return;
    for (const name of ['recent', 'history', 'one']) {
      void queries.invalidateQueries({ queryKey: ['scan', name] });
    }
  }, [queries, readAt, settles]);
}

const KINDS: Record<Schemas['ReadTextKind'], string | null> = {
  'part-number': 'Part number',
  brand: 'Brand',
  vin: 'VIN',
  size: 'Size',
  barcode: 'Code',
  word: null,
};

type ReadLineProps = {
  scanId: string;
  index: number;
  line: Line;
  act: 'search' | 'correct' | null;
  onAct: (act: 'search' | 'correct' | null) => void;
};

function ReadLine({ scanId, index, line, act, onAct }: ReadLineProps) {
  const navigate = useNavigate();
  const correct = useRef<HTMLButtonElement>(null);
  const kind = KINDS[line.kind];
  const wanted = line.number ?? line.text;
  return (
    <li className="grid gap-2 px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="flex min-w-0 flex-1 basis-24 flex-wrap items-center gap-x-2 gap-y-1">
          <bdi className="font-mono wrap-anywhere">{line.text}</bdi>
          {kind !== null && <Badge tone="outline">{kind}</Badge>}
          {line.code !== null && (
            <span className="text-xs text-muted">{symbologyName(line.code.symbology)}</span>
          )}
          {line.brand !== null && line.brand.toLowerCase() !== line.text.toLowerCase() && (
            <span className="text-xs text-muted">{line.brand}</span>
          )}
          {line.readAs !== null && (
            <span className="text-xs text-muted wrap-anywhere">read as {line.readAs}</span>
          )}
        </p>
        <div className="flex gap-1">
          <CopyText text={wanted} />
          <Button
            look="ghost"
            size="icon"
            aria-label={`Search for ${wanted}`}
            aria-expanded={act === 'search'}
            onClick={() => onAct(act === 'search' ? null : 'search')}
          >
            <Search className="size-4" aria-hidden />
          </Button>
          <Button
            look="ghost"
            size="icon"
            ref={correct}
            aria-label={`Correct ${line.text}`}
            aria-expanded={act === 'correct'}
            onClick={() => onAct(act === 'correct' ? null : 'correct')}
          >
            <Pencil className="size-4" aria-hidden />
          </Button>
        </div>
      </div>
      {line.code !== null && line.code.fields.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
          {line.code.fields.map(({ id, title, value }, place) => (
            <Fragment key={place}>
              <dt className="text-muted">
                {title} ({id})
              </dt>
              <dd className="font-mono wrap-anywhere">{value}</dd>
            </Fragment>
          ))}
        </dl>
      )}
      {act === 'search' && (
        <PartSearchBox
          label={`Find a part with ${wanted}`}
          initialText={wanted}
          inputRef={focusOnce}
          onChoose={({ kind: found, id, category }) =>
            void navigate(found === 'part' ? shopPartHref(id) : partHref(category, id))
          }
        />
      )}
      {act === 'correct' && (
        <Correction
          scanId={scanId}
          index={index}
          line={line}
          onDone={() => {
            onAct(null);
            correct.current?.focus();
          }}
        />
      )}
    </li>
  );
}

/** The field comes when it is asked for, and its list of results opens with the focus. */
function focusOnce(field: HTMLInputElement | null) {
  field?.focus();
}

function CopyText({ text }: { text: string }) {
  const { copied, copy } = useCopy(text, `Please copy it by hand: ${text}`);
  const Mark = copied ? Check : Copy;
  return (
    <Button look="ghost" size="icon" aria-label={`Copy ${text}`} onClick={copy}>
      <Mark className={copied ? 'size-4 text-good' : 'size-4'} aria-hidden />
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </Button>
  );
}

type CorrectionProps = { scanId: string; index: number; line: Line; onDone: () => void };

function Correction({ scanId, index, line, onDone }: CorrectionProps) {
  const [text, setText] = useState(line.text);
  useUnsavedWork(text !== line.text);
  const queries = useQueryClient();
  const fail = useFailureToast();
  const correct = useMutation({
    mutationFn: readingMutations.correct(scanId),
    onSuccess: (reading) => {
      queries.setQueryData(readingQuery(scanId).queryKey, reading);
    },
    onError: (error) => fail(error, 'The text could not be saved.'),
  });
  const save = (event: SyntheticEvent) => {
    event.preventDefault();
    if (correct.isPending) return;
    // Not of a line that was left by then: it would close the one that is corrected now.
    correct.mutate({ line: index, text }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={save} className="flex flex-wrap items-end gap-2">
      <Field
        label="What it says"
        hint={line.readAs === null ? undefined : `Leave it empty to go back to ${line.readAs}.`}
        className="min-w-0 flex-1 basis-48"
        value={text}
        maxLength={TEXT_MAX}
        autoFocus
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone();
        }}
      />
      <Button type="submit" look="primary" disabled={correct.isPending}>
        Save
      </Button>
      <Button onClick={onDone}>Cancel</Button>
    </form>
  );
}
