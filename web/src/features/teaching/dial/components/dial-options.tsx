import { useId } from 'react';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import {
  answeredText,
  figuresOf,
  laxerText,
  outcomeOf,
  outcomeText,
  promiseText,
  type DialOption,
  type ThresholdOutcome,
} from '@/features/teaching/dial/model';

type DialOptionsProps = {
  options: DialOption[];
  /** What thresholds led to on photos of the shop; empty where nobody measured. */
  outcomes: readonly ThresholdOutcome[];
  /** The percentage that is marked. */
  chosen: number | null;
  inForce: number | null;
  dial: Pick<Schemas['Dial'], 'confidenceIsFitted' | 'modelIdentifiedConfidence'>;
  /** Whether the viewer may only look. */
  readOnly: boolean;
  onChoose: (percent: number | null) => void;
};

/** The choices, each with what it was measured to lead to: in a line, and of the one that is marked in full. */
export function DialOptions({ options, ...choice }: DialOptionsProps) {
  const name = useId();
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="sr-only">How many wrong answers are accepted</legend>
      {options.map((option) => (
        <Option key={option.title} name={name} option={option} {...choice} />
      ))}
    </fieldset>
  );
}

type OptionProps = Omit<DialOptionsProps, 'options'> & { name: string; option: DialOption };

function Option({
  name,
  option,
  outcomes,
  chosen,
  inForce,
  dial,
  readOnly,
  onChoose,
}: OptionProps) {
  const { percent, title, measured } = option;
  const outcome = outcomeOf(option, outcomes);
  const checked = percent === chosen;
  const id = useId();
  return (
    <div className="relative grid grid-cols-[auto_1fr] gap-x-3 gap-y-1.5 rounded-md border p-3 has-checked:border-accent has-checked:bg-accent-wash has-focus-visible:outline-2 has-focus-visible:outline-accent-strong">
      <input
        id={id}
        type="radio"
        name={name}
        checked={checked}
        disabled={readOnly}
        aria-describedby={`${id}-state ${id}-facts`}
        onChange={() => onChoose(percent)}
        className="mt-0.5 size-5 accent-accent outline-none"
      />
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        {/* The whole line can be tapped. */}
        <label
          htmlFor={id}
          className={`text-sm font-medium after:absolute after:inset-0 after:content-[''] ${readOnly ? '' : 'cursor-pointer'}`}
        >
          {title}
        </label>
        <span id={`${id}-state`} className="flex flex-wrap gap-2">
          {percent === inForce && <Badge tone="primary">In force</Badge>}
          {percent !== null && measured !== null && (
            <Badge tone={measured.isGuaranteed ? 'good' : 'warn'}>
              {measured.isGuaranteed ? 'Promised' : 'Not promised'}
            </Badge>
          )}
        </span>
      </div>
      <div id={`${id}-facts`} className="col-start-2 grid gap-2 text-sm text-soft">
        {percent === null ? (
          <p>
            {measured === null
              ? 'The model’s own threshold.'
              : `Now the same as “at most ${measured.maxWrongPercent}% wrong”; another model may suggest something else.`}
          </p>
        ) : (
          measured !== null && (
            <>
              <p>
                {promiseText(measured, dial.confidenceIsFitted)} {laxerText(measured, dial)}{' '}
                {!checked && answeredText(measured)}
              </p>
              {checked && (
                <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
                  {figuresOf(measured).map(([what, value]) => (
                    <div key={what} className="flex justify-between gap-3">
                      <dt className="text-muted">{what}</dt>
                      <dd className="shrink-0 text-ink tabular-nums">{value}</dd>
                    </div>
                  ))}
                </dl>
              )}
            </>
          )
        )}
        {outcome !== null && <p className="text-ink">{outcomeText(outcome)}</p>}
      </div>
    </div>
  );
}
