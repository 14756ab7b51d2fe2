import { ChevronRight } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { Notice } from '@/components/ui/notice';
import { sourceText, specRows } from '@/features/garage/oil/model';

type OilValuesProps = { specs: Schemas['OilSpecs'] };

export function OilValues({ specs }: OilValuesProps) {
  const rows = specRows(specs);
  const bases = [...new Set(rows.flatMap(({ basis }) => basis?.basis ?? []))];
  return (
    <div className="grid gap-3">
      <dl className="divide-y rounded-md border">
        {rows.map(({ term, value, basis }) => (
          <div
            key={`${term} ${value}`}
            className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 px-3 py-2.5"
          >
            <dt className="text-sm text-muted">{term}</dt>
            <dd>
              <span className="font-medium wrap-anywhere">{value}</span>
              {basis !== null && (
                <span className="block text-xs text-muted">{sourceText(basis)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {specs.hasOilLifeMonitor && (
        <p className="text-sm text-soft">
          This car tells you itself when the oil is due; the interval is the latest moment.
        </p>
      )}
      {specs.notes !== '' && <p className="text-sm text-soft">{specs.notes}</p>}
      {specs.verify !== null && <Notice tone="info" title={specs.verify} />}
      {bases.length > 0 && (
        <details className="group text-sm">
          <summary className="flex min-h-6 w-fit cursor-pointer list-none items-center gap-1 rounded-md text-xs font-medium text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
            <ChevronRight className="size-3.5 group-open:rotate-90" aria-hidden />
            Where these values come from
          </summary>
          <div className="mt-2 grid gap-1.5 text-xs text-muted">
            {specs.engine !== null && <p>For the engine {specs.engine}.</p>}
            {bases.map((basis) => (
              <p key={basis} className="wrap-anywhere">
                {basis}
              </p>
            ))}
          </div>
        </details>
      )}
    </div>
  );
}
