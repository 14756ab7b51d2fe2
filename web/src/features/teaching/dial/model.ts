import type { Schemas } from '@/api/client';
import { countOf, formatMicroDollars, formatPercent } from '@/lib/format';

type Dial = Schemas['Dial'];
type DialChoice = Schemas['DialChoice'];
export type ThresholdOutcome = Schemas['ThresholdOutcome'];

/** One line of the dial. */
export type DialOption = {
  /** What is sent for it: a percentage, or null for what the model does by itself. */
  percent: number | null;
  title: string;
  /** What it was measured to lead to; null where the model was not measured. */
  measured: DialChoice | null;
};

/** What can be chosen: first what the model does by itself, then each mark, the strictest first. */
export function optionsOf({ choices }: Dial): DialOption[] {
  return [
    {
      percent: null,
      title: 'As the model suggests',
      measured: choices.find(({ isModelsOwn }) => isModelsOwn) ?? null,
    },
    ...choices.map((choice) => ({
      percent: choice.maxWrongPercent,
      title: `At most ${choice.maxWrongPercent}% wrong`,
      measured: choice,
    })),
  ];
}

/**
 * The option that holds now. A percentage that only an earlier model offered holds as the mark that
 * the server names in its place.
 */
export function optionInForce({ maxWrongPercent, choices }: Dial): number | null {
  if (maxWrongPercent === null) return null;
  return choices.find(({ inForce }) => inForce)?.maxWrongPercent ?? null;
}

/** An upper bound with one digit, never rounded to less than it is: `8.7%` for 0.0865. */
export function boundText(share: number): string {
  return `${(Math.ceil(share * 1000 - 1e-9) / 10).toFixed(1)}%`;
}

/** What can be said of the wrong answers, in a sentence or two. */
export function promiseText(choice: DialChoice, confidenceIsFitted: boolean): string {
  const answers = `at most ${boundText(choice.errorUpperBound)} of the answers on photos of parts that it has learnt`;
  if (choice.isGuaranteed) return `With 95% confidence, ${answers} are wrong.`;
  if (confidenceIsFitted) {
    return `Before your feedback moved the percentages, with 95% confidence ${answers} were wrong.`;
  }
  return `The photos were too few to promise at most ${choice.maxWrongPercent}%. With 95% confidence, ${answers} are wrong.`;
}

/**
 * Where an answer needs less confidence than the model asks for by itself: only its own threshold
 * was chosen by parts that it does not know.
 */
export function laxerText(
  { identifiedConfidence }: DialChoice,
  { modelIdentifiedConfidence }: Pick<Dial, 'modelIdentifiedConfidence'>,
): string {
  return identifiedConfidence < modelIdentifiedConfidence
    ? 'More photos of parts that it does not know, and of other things, are then called identified than by the model’s own threshold.'
    : '';
}

/** Whether an option answers at the model's own threshold, which is what the model's rule tells of. */
export function isAtModelsOwn(
  measured: DialChoice | null,
  { modelIdentifiedConfidence }: Pick<Dial, 'modelIdentifiedConfidence'>,
): boolean {
  return measured === null || measured.identifiedConfidence === modelIdentifiedConfidence;
}

/** The figures of a choice as names and values. */
export function figuresOf(choice: DialChoice): [name: string, value: string][] {
  const { answeredLocally, answeredWrong, toJudge, judgeMicroDollarsPer1000Scans: cost } = choice;
  const figures: [string, string][] = [];
  if (answeredLocally !== null) figures.push(['Answered here', formatPercent(answeredLocally)]);
  if (answeredWrong !== null) figures.push(['Wrong among them', wrongText(choice, answeredWrong)]);
  if (toJudge !== null) figures.push(['Left unsure', formatPercent(toJudge)]);
  if (cost !== null) {
    figures.push(['Second opinions for 1,000 scans', `about ${formatMicroDollars(cost)}`]);
  }
  return figures;
}

/** How much a choice answers, in a sentence; empty where nobody counted. */
export function answeredText({ answeredLocally }: DialChoice): string {
  return answeredLocally === null ? '' : `${formatPercent(answeredLocally)} are answered here.`;
}

function wrongText(choice: DialChoice, wrong: number): string {
  const answered = answeredOf(choice);
  return answered === null ? String(wrong) : `${wrong} of ${answered}`;
}

/** How many of the measured photos were answered; null where nobody counted. */
export function answeredOf({ answeredLocally, n }: DialChoice): number | null {
  return answeredLocally === null ? null : Math.round(answeredLocally * n);
}

/** What the figures come from, in a sentence. */
export function originText({ choices, measuredOn }: Dial): string | null {
  const [first] = choices;
  if (first === undefined || measuredOn === null) return null;
  return `Measured on ${countOf(first.n, 'photo')}. ${measuredOn}`;
}

/** What the threshold of an option led to on photos of the shop; null where it was not measured there. */
export function outcomeOf(
  { measured }: DialOption,
  outcomes: readonly ThresholdOutcome[],
): ThresholdOutcome | null {
  if (measured === null) return null;
  // Both are the same number in 32 bits.
  return outcomes.find(({ confidence }) => confidence === measured.identifiedConfidence) ?? null;
}

/** That in a sentence. */
export function outcomeText(outcome: ThresholdOutcome): string {
  return [knownText(outcome), othersText(outcome)].filter(Boolean).join(' ');
}

/** Whatever the model answers about a part that it does not know is wrong. */
function othersText({ others, othersAnswered }: ThresholdOutcome): string {
  if (others === 0) return '';
  const share = formatPercent(othersAnswered / others);
  return `Of ${others} photos of anything else, ${othersAnswered} answered too (${share}), all of them wrong.`;
}

function knownText({ answered, wrong, total, low, high }: ThresholdOutcome): string {
  if (total === 0) return 'Your photos show no part that the model knows.';
  if (answered === 0) return `On your photos: none of ${total} answered.`;
  const range = `95% interval ${(low * 100).toFixed(1)}% to ${(high * 100).toFixed(1)}%`;
  return `On your photos: ${answered} of ${total} answered (${formatPercent(answered / total)}), ${wrong} of them wrong (${((wrong / answered) * 100).toFixed(1)}%, ${range}).`;
}
