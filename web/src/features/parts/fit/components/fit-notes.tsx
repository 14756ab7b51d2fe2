import type { Schemas } from '@/api/client';
import { AiFill } from '@/components/ai-fill';
import { partFitMutations } from '@/features/parts/fit/mutations';

type FitNotesProps = {
  partId: string;
  vehicleId: string;
  ai: Schemas['AiFill'];
  notes: Schemas['FitNotes'] | null;
};

/** What a language model says of a part on a vehicle where nobody else does. It never says whether it fits. */
export function FitNotes({ partId, vehicleId, ai, notes }: FitNotesProps) {
  return (
    <>
      {notes !== null && (
        <div className="grid gap-2">
          <Lines title="What to know" lines={notes.notes} />
          <Lines title="What to compare" lines={notes.compare} />
        </div>
      )}
      <AiFill
        ai={ai}
        what="Whether it fits"
        sends="the kind of part, and the car’s year, make, model and engine"
        ask={partFitMutations.askAi(partId, vehicleId)}
        remove={partFitMutations.removeAi(partId, vehicleId)}
      />
    </>
  );
}

function Lines({ title, lines }: { title: string; lines: string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <p className="font-medium">{title}</p>
      <ul className="list-disc pl-5 text-soft">
        {lines.map((line, position) => (
          <li key={position} className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}
