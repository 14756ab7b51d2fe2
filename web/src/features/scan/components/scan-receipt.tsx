import { ChevronRight } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { formatPercent } from '@/lib/format';

type ScanReceiptProps = { receipt: Schemas['ScanReceipt']; totalMs: number };

/** What stood behind an answer: in a sentence, and on demand to the last figure. */
export function ScanReceipt({ receipt, totalMs }: ScanReceiptProps) {
  return (
    <footer className="grid gap-2 border-t pt-3 text-xs text-muted">
      <p>
        Answered in {Math.max(1, Math.round(totalMs))} ms by {receipt.model} {receipt.modelVersion}.{' '}
        {receipt.photoLeftMachine
          ? 'The photo was sent to another machine.'
          : 'The photo went to no other machine.'}
      </p>
      <details className="group">
        <summary className="flex min-h-6 w-fit cursor-pointer list-none items-center gap-1 rounded-md font-medium text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
          <ChevronRight className="size-3.5 group-open:rotate-90" aria-hidden />
          How it was answered
        </summary>
        <dl className="mt-2 grid gap-x-4 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
          {rowsOf(receipt).map(([name, value]) => (
            <div key={name} className="sm:contents">
              <dt>{name}</dt>
              <dd className="break-all text-soft">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </footer>
  );
}

function rowsOf(receipt: Schemas['ScanReceipt']): [string, string][] {
  const rows: [string, string][] = [
    ['Model', `${receipt.model} ${receipt.modelVersion}`],
    ['Model file, SHA-256', receipt.modelSha256],
    ['Ran on', receipt.provider],
    ['Sure from', `${formatPercent(receipt.identifiedConfidence)} match`],
    ['Like a known part from', formatPercent(receipt.identifiedKnownScore)],
    ['No part below', formatPercent(receipt.notAPartBelow)],
  ];
  if (receipt.categoryConfidence !== null) {
    rows.push(['Category named from', `${formatPercent(receipt.categoryConfidence)} sure`]);
  }
  return rows;
}
