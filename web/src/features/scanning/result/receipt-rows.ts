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
export function receiptRows(view: ScanView): [string, string][] {
  const { receipt, timingsMs } = view;
  const rows: [string, string][] = [
    ['Model', `${receipt.model} ${receipt.modelVersion}`],
    ['Model file, SHA-256', receipt.modelSha256],
    ['Ran on', receipt.provider],
    ...sureFrom(view),
    ['Like a known part from', formatPercent(receipt.identifiedKnownScore)],
    ['No part below', formatPercent(receipt.notAPartBelow)],
  ];
  if (receipt.categoryConfidence !== null) {
    rows.push(['Category named from', `${formatPercent(receipt.categoryConfidence)} sure`]);
  }
  if (receipt.catalogVersion !== null) rows.push(['Catalogue', receipt.catalogVersion]);
  rows.push(['Answered', PATHS[receipt.verdictPath]]);
  if (receipt.lacksTaughtParts) {
    rows.push(['Taught parts', 'Could not be looked at: scan again in a minute']);
  }
  if (receipt.notJudged !== null) {
    const why = NOT_JUDGED[receipt.notJudged] ?? 'It failed to answer';
    rows.push([
      'Vision-LLM',
      wasSureBefore(view) ? 'Not asked: the model was sure before the text was read' : why,
    ]);
  }
  if (receipt.judgeModel !== null) rows.push(['Vision-LLM', receipt.judgeModel]);
  if (receipt.reusedSimilarity !== null) {
    rows.push(['Likeness to the judged photo', formatPercent(receipt.reusedSimilarity)]);
  }
  rows.push(['Cost', formatMicroDollars(receipt.costMicroDollars)]);
  if (receipt.inputTokens + receipt.outputTokens > 0) {
    const { inputTokens, outputTokens } = receipt;
    rows.push([
      'Tokens',
      `${formatCount(inputTokens)} asked, ${formatCount(outputTokens)} answered`,
    ]);
  }
  rows.push(['Photo sent to', receipt.photoSentTo ?? 'No other machine']);
  // What the server takes to find that it asks nobody is no time of a vision-LLM.
  const judge = wasAsked(receipt) ? timingsMs.judge : 0;
  rows.push(['Time', timeText({ ...timingsMs, judge })]);
  return rows;
}

function sureFrom(view: ScanView): [string, string][] {
  return isSureOtherwise(view) ? [] : [['Sure from', `${sureFromPercent(view)} match`]];
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
