import type { Schemas } from '@/api/client';
import { isSureOtherwise, sureFromPercent, wasSureBefore } from '@/features/scanning/result/match';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { formatCount, formatMicroDollars, formatPercent } from '@/lib/format';

const PATHS: Record<Schemas['ScanReceipt']['verdictPath'], string> = {
  local: 'Without a vision-LLM',
  reused: 'With what a vision-LLM said of a photo that is nearly the same',
  llm: 'With what a vision-LLM said of this photo',
};

/** Why the vision-LLM had no say, as far as a person can do something with it. */
const NOT_JUDGED: Record<string, string> = {
  sure: 'No need: the model was sure',
  'look-alikes': 'No need: a photo does not tell look-alikes apart',
  'not-configured': 'This server asks none',
  'not-allowed': 'Not allowed in the settings',
  'not-in-plan': 'Not part of the plan',
  'tenant-day-budget': 'Your budget of the day is spent',
  'tenant-month-budget': 'Your budget of the month is spent',
  'server-day-budget': 'The server’s budget of the day is spent',
  'server-month-budget': 'The server’s budget of the month is spent',
  'timed-out': 'It did not answer in time',
  unreachable: 'It could not be reached',
  refused: 'It would not answer for this photo',
  busy: 'Not asked: too many questions at once',
  'circuit-open': 'Not asked: it failed repeatedly and is left alone for a moment',
};

/** Everything that stood behind an answer, as names and values. */
export function receiptRows(view: ScanView): [name: string, value: string][] {
  const { receipt, timingsMs } = view;
  const { categoryConfidence, reusedSimilarity, inputTokens, outputTokens } = receipt;
  // What the server takes to find that it asks nobody is no time of a vision-LLM.
  const judge = wasAsked(receipt) ? timingsMs.judge : 0;
  const rows: [string, string | false | null][] = [
    ['Model', `${receipt.model} ${receipt.modelVersion}`],
    ['Model file, SHA-256', receipt.modelSha256],
    ['Ran on', receipt.provider],
    ['Sure from', !isSureOtherwise(view) && `${sureFromPercent(view)} match`],
    ['Like a known part from', formatPercent(receipt.identifiedKnownScore)],
    ['No part below', formatPercent(receipt.notAPartBelow)],
    [
      'Category named from',
      categoryConfidence !== null && `${formatPercent(categoryConfidence)} sure`,
    ],
    ['Catalogue', receipt.catalogVersion],
    ['Answered', PATHS[receipt.verdictPath]],
    ['Taught parts', receipt.lacksTaughtParts && 'Could not be looked at: scan again in a minute'],
    ['Vision-LLM', notJudgedText(view)],
    ['Vision-LLM', receipt.judgeModel],
    ['Likeness to the judged photo', reusedSimilarity !== null && formatPercent(reusedSimilarity)],
    ['Cost', formatMicroDollars(receipt.costMicroDollars)],
    [
      'Tokens',
      inputTokens + outputTokens > 0 &&
        `${formatCount(inputTokens)} asked, ${formatCount(outputTokens)} answered`,
    ],
    ['Photo sent to', receipt.photoSentTo ?? 'No other machine'],
    ['Time', timeText({ ...timingsMs, judge })],
  ];
  return rows.flatMap(([name, value]) =>
    value === null || value === false ? [] : [[name, value]],
  );
}

function notJudgedText(view: ScanView): string | null {
  const { notJudged } = view.receipt;
  if (notJudged === null) return null;
  if (wasSureBefore(view)) return 'Not asked: the model was sure before the text was read';
  return NOT_JUDGED[notJudged] ?? 'It failed to answer';
}

/** Whether the vision-LLM was asked about this photo; one that cannot be reached gets no photo. */
function wasAsked({ photoSentTo, notJudged }: Schemas['ScanReceipt']): boolean {
  return photoSentTo !== null || notJudged === 'unreachable';
}

/** Where the milliseconds went, without the stages that took none. */
function timeText({ decode, preprocess, queue, inference, judge }: ScanView['timingsMs']): string {
  const stages: [string, number][] = [
    ['decoding', decode],
    ['resizing', preprocess],
    ['waiting', queue],
    ['model', inference],
    ['vision-LLM', judge],
  ];
  return stages
    .filter(([, milliseconds]) => milliseconds >= 0.05)
    .map(([name, milliseconds]) => `${name} ${milliseconds.toFixed(1)} ms`)
    .join(', ');
}
