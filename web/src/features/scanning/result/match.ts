import type { ScanView } from '@/features/scanning/result/scan-view';
import { formatPercent } from '@/lib/format';

const TENTHS = { style: 'percent', maximumFractionDigits: 1 } as const;
const TENTHS_BELOW = new Intl.NumberFormat('en-US', { ...TENTHS, roundingMode: 'floor' });
const TENTHS_ABOVE = new Intl.NumberFormat('en-US', { ...TENTHS, roundingMode: 'ceil' });

type Receipt = Pick<ScanView['receipt'], 'identifiedConfidence'>;

/** A confidence of an answer as a percentage, beside what it is sure from. */
export function matchPercent(confidence: number, receipt: Receipt): string {
  return isTooClose(confidence, receipt)
    ? TENTHS_BELOW.format(confidence)
    : formatPercent(confidence);
}

/** The confidence that an answer is sure from as a percentage, beside its own. */
export function sureFromPercent({ identification, receipt }: ScanView): string {
  const { identifiedConfidence } = receipt;
  return isTooClose(identification.confidence, receipt)
    ? TENTHS_ABOVE.format(identifiedConfidence)
    : formatPercent(identifiedConfidence);
}

/**
 * Whether a threshold that was missed looks met in whole percents. The tenths are then rounded away from each other, so
 * that they differ however close the two are.
 */
function isTooClose(confidence: number, { identifiedConfidence }: Receipt): boolean {
  return (
    confidence < identifiedConfidence &&
    formatPercent(confidence) === formatPercent(identifiedConfidence)
  );
}

/** Whether something beside the percentage made the answer sure, such as the number on the part. */
export function isSureOtherwise({ verdict, identification, receipt }: ScanView): boolean {
  return (
    verdict === 'identified' &&
    receipt.verdictPath === 'local' &&
    identification.confidence < receipt.identifiedConfidence
  );
}

/** Whether another photo would tell more: not of an answer that something beside the photo has settled. */
export function wantsBetterPhoto(view: ScanView): boolean {
  return view.verdict === 'not-sure' || (view.tellingApart.length > 0 && !isSureOtherwise(view));
}

/** Whether the model was sure until a number on the part contradicted it. */
export function wasSureBefore({ verdict, receipt }: ScanView): boolean {
  return verdict !== 'identified' && receipt.notJudged === 'sure';
}
