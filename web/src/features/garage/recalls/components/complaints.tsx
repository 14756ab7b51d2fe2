import { ChevronRight } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { componentText } from '@/lib/recalls';
import { countOf, formatDate } from '@/lib/format';

/** Components and complaints that are shown; the others are counted. */
const SHOWN = 8;

type ComplaintsProps = { found: Schemas['VehicleRecalls'] };

/** What owners complained of, folded away: nobody has checked it. */
export function Complaints({ found }: ComplaintsProps) {
  const { complaintCount, complaintsByComponent, complaints } = found;
  if (complaintCount === null || complaintCount === 0) return null;
  return (
    <details className="group text-sm">
      <summary className="flex min-h-6 w-fit cursor-pointer list-none items-center gap-1 rounded-md font-medium text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 group-open:rotate-90" aria-hidden />
        {`${countOf(complaintCount, 'complaint')} by owners`}
      </summary>
      <div className="mt-3 grid gap-4">
        <p className="text-muted">Owners filed them with NHTSA; nobody has checked them.</p>
        <ul aria-label="Complaints by component" className="grid gap-1">
          {complaintsByComponent.slice(0, SHOWN).map(({ component, count }) => (
            <li key={component} className="flex justify-between gap-3">
              <span className="min-w-0 wrap-anywhere text-soft">{componentText(component)}</span>
              <span className="tabular-nums">{count}</span>
            </li>
          ))}
        </ul>
        <ul aria-label="Newest complaints" className="grid gap-3">
          {complaints.slice(0, SHOWN).map((complaint) => (
            <li key={complaint.number} className="grid gap-1 border-t pt-3">
              <p className="text-xs text-muted">
                {[
                  complaint.filedOn === null ? null : formatDate(complaint.filedOn),
                  componentText(complaint.components),
                  complaint.crash ? 'with a crash' : null,
                  complaint.fire ? 'with a fire' : null,
                ]
                  .filter((fact) => fact !== null && fact !== '')
                  .join(' · ')}
              </p>
              <p className="wrap-anywhere text-soft">
                {complaint.summary ?? 'Without a description.'}
              </p>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
