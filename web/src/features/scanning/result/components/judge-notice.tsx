import { Eye } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { judgedName, type ScanView } from '@/features/scanning/result/scan-view';

type JudgeNoticeProps = { view: ScanView; judgement: Schemas['ScanJudgement'] };

/** What a vision-LLM said of the photo. Its words are a machine's, and are marked as such. */
export function JudgeNotice({ view, judgement }: JudgeNoticeProps) {
  const { receipt } = view;
  const { evidence, partNumbers, betterPhoto } = judgement;
  const reused = receipt.verdictPath === 'reused';
  return (
    <section
      aria-labelledby="judge-title"
      className="grid gap-2 rounded-lg border border-control/60 bg-raised/60 p-4 text-sm"
    >
      <h3 id="judge-title" className="flex items-center gap-2 font-semibold">
        <Eye className="size-4 shrink-0 text-accent" aria-hidden />
        {reused ? 'A vision-LLM judged a photo like this one' : 'A vision-LLM looked at this photo'}
      </h3>
      <p>{verdictText(view, judgement)}</p>
      {evidence !== '' && (
        <blockquote className="border-l-2 border-control pl-3 wrap-anywhere text-soft">
          {evidence}
        </blockquote>
      )}
      {partNumbers.length > 0 && (
        <p className="text-soft">
          Numbers that it read:{' '}
          {partNumbers.map((number) => (
            <code key={number} className="mr-1.5 rounded-sm bg-canvas px-1.5 py-0.5 break-all">
              {number}
            </code>
          ))}
        </p>
      )}
      {betterPhoto !== null && (
        <p>
          <span className="font-medium">A better photo: </span>
          <span className="wrap-anywhere text-soft">{betterPhoto}</span>
        </p>
      )}
      <p className="text-xs text-muted">
        Written by {receipt.judgeModel ?? 'a machine'}. Check it against the part in your hand.
      </p>
    </section>
  );
}

function verdictText(view: ScanView, { label }: Schemas['ScanJudgement']): string {
  if (label === null) return 'It says that the photo shows none of the parts in question.';
  if (label === view.identification.label) return 'It names the same part.';
  return `It names another part: ${judgedName(view, label)}.`;
}
