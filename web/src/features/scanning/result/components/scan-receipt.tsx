import { ChevronRight } from 'lucide-react';
import { ZeroEgressNotice } from '@/components/zero-egress-notice';
import { receiptRows } from '@/features/scanning/result/receipt-rows';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { formatMicroDollars } from '@/lib/format';

type ScanReceiptProps = { view: ScanView };

/** What stood behind an answer: in a sentence, and on demand to the last figure. */
export function ScanReceipt({ view }: ScanReceiptProps) {
  const { receipt, timingsMs } = view;
  return (
    <footer className="grid gap-2 border-t pt-3 text-xs text-muted">
      <p>
        Answered in {Math.max(1, Math.round(timingsMs.total))} ms by {receipt.model}{' '}
        {receipt.modelVersion}
        {receipt.verdictPath === 'llm' && ` with ${receipt.judgeModel ?? 'a vision-LLM'}`}.{' '}
        {receipt.costMicroDollars > 0 &&
          `It cost ${formatMicroDollars(receipt.costMicroDollars)}. `}
        {receipt.photoLeftMachine
          ? `The photo was sent to ${receipt.photoSentTo ?? 'another machine'}.`
          : 'The photo went to no other machine.'}
      </p>
      {/* An old scan may be from before the server was set so. */}
      {!receipt.photoLeftMachine && <ZeroEgressNotice />}
      <details className="group">
        <summary className="flex min-h-6 w-fit cursor-pointer list-none items-center gap-1 rounded-md font-medium text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
          <ChevronRight className="size-3.5 group-open:rotate-90" aria-hidden />
          How it was answered
        </summary>
        <dl className="mt-2 grid gap-x-4 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
          {receiptRows(view).map(([name, value]) => (
            <div key={name} className="sm:contents">
              <dt>{name}</dt>
              <dd className="wrap-anywhere text-soft">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </footer>
  );
}
