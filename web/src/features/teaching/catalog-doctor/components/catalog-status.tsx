import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { PartPhoto } from '@/features/teaching/catalog-doctor/components/part-photo';
import { catalogStatusQuery } from '@/features/teaching/catalog-doctor/queries';
import { countOf, formatCount } from '@/lib/format';

/** Whether the model in use knows the photos of parts. */
export function CatalogStatus() {
  const status = useQuery(catalogStatusQuery());
  return (
    <SettingsCard
      title="Photos and Model"
      description="Scans are compared with photos that the model in use has seen."
    >
      <QueryState
        query={status}
        what="The state of the photos"
        label="Loading the state"
        rows={1}
      />
      {status.data != null && <Facts status={status.data} />}
    </SettingsCard>
  );
}

type FactsProps = { status: Schemas['Catalog'] };

function Facts({ status: { references, usable, withoutPicture, reembedding } }: FactsProps) {
  const { running, total, done, failed } = reembedding;
  return (
    <>
      <p className="text-sm text-soft">
        {references === 0
          ? 'No photos of parts yet.'
          : `The model knows ${formatCount(usable)} of ${countOf(references, 'photo')}.`}
      </p>
      {running && (
        <div className="grid gap-1.5 text-sm">
          <p>
            A new model looks at the photos: {formatCount(done)} of {formatCount(total)}. Until it
            is done, scans are answered without taught parts.
          </p>
          <progress
            aria-label="Photos looked at"
            value={done}
            max={Math.max(1, total)}
            className="h-2 w-full"
          />
        </div>
      )}
      {failed > 0 && (
        <p className="text-sm text-warn">
          {countOf(failed, 'photo')} could not be used for the new model. Teach them again.
        </p>
      )}
      {withoutPicture.length > 0 && (
        <div className="grid gap-2">
          <p className="text-sm text-warn">
            Of {countOf(withoutPicture.length, 'photo')} no picture is kept, so the new model cannot
            see {withoutPicture.length === 1 ? 'it' : 'them'}. Teach these parts with new photos.
          </p>
          <ul className="flex flex-wrap gap-3">
            {withoutPicture.map((photo) => (
              <li key={photo.id}>
                <PartPhoto photo={photo} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
