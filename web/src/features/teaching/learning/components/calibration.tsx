import type { Schemas } from '@/api/client';
import { figureRows, outcomeText } from '@/features/teaching/learning/model';
import { formatDate } from '@/lib/format';

type CalibrationProps = { calibration: Schemas['FittedCalibration']; leastFeedback: number };

/** The last attempt to fit the confidence: what came of it, and how good it was before and after. */
export function Calibration({ calibration, leastFeedback }: CalibrationProps) {
  const { before, after, attemptedAt, temperature } = calibration;
  return (
    <div className="grid gap-2 text-sm">
      <p className="text-soft">
        {formatDate(attemptedAt)}: {outcomeText(calibration, leastFeedback)}{' '}
        {temperature === null
          ? 'The model’s own calibration is in force.'
          : `The temperature is ${temperature.toFixed(2)}.`}
      </p>
      {before !== null && after !== null && (
        <table className="w-full text-left">
          <caption className="sr-only">The calibration before and after the fit</caption>
          <thead className="text-xs text-muted">
            <tr>
              <th scope="col" className="py-1 pr-3 font-medium">
                Less is better, except for scans named
              </th>
              <th scope="col" className="py-1 pr-3 text-right font-medium">
                Before
              </th>
              <th scope="col" className="py-1 text-right font-medium">
                After
              </th>
            </tr>
          </thead>
          <tbody className="divide-y">
            {figureRows(before, after).map(([name, was, is]) => (
              <tr key={name}>
                <th scope="row" className="py-1.5 pr-3 font-normal text-soft">
                  {name}
                </th>
                <td className="py-1.5 pr-3 text-right tabular-nums">{was}</td>
                <td className="py-1.5 text-right tabular-nums">{is}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
