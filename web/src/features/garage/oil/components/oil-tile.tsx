import { useQuery } from '@tanstack/react-query';
import { Droplet } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { Schemas } from '@/api/client';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { oilQueries } from '@/features/garage/oil/queries';
import { classNames } from '@/lib/class-names';
import { formatPercent } from '@/lib/format';

const loadDialog = () => import('@/features/garage/oil/components/oil-dialog');
// Most visits never open it.
const OilDialog = lazyComponent(async () => (await loadDialog()).OilDialog);

/** What the tile says where nothing is known (specification 1, section 2). */
const FALLBACK_OIL_TYPE = '5W-30';
const FALLBACK_CAPACITY = '4.5 quarts';

/** What stands beside values that are not known to be this car's. */
const NOTES: Partial<Record<Schemas['ValueSource'], string>> = {
  fallback: 'Common values',
  ai: 'AI, verify',
};

/** A value of our table that is less sure than this is said to be a guess. */
const SURE_FROM = 0.8;

type OilTileProps = { vehicle: Schemas['Vehicle'] | null };

/** Oil & Filter on the home screen. Without a vehicle it is disabled. */
export function OilTile({ vehicle }: OilTileProps) {
  return vehicle === null ? (
    <Tile type="Select Vehicle" capacity="-" disabled />
  ) : (
    <VehicleOilTile vehicle={vehicle} />
  );
}

function VehicleOilTile({ vehicle }: { vehicle: Schemas['Vehicle'] }) {
  const specs = useQuery(oilQueries.specs(vehicle));
  const [opened, setOpened] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Tile
        type={specs.isPending ? '...' : (specs.data?.oilType ?? FALLBACK_OIL_TYPE)}
        capacity={specs.isPending ? '...' : (specs.data?.oilCapacity ?? FALLBACK_CAPACITY)}
        note={specs.isPending ? undefined : noteOf(specs.data)}
        onReach={() => void loadDialog().catch(() => undefined)}
        onClick={() => {
          setOpened(true);
          setOpen(true);
        }}
      />
      {opened && (
        <ErrorBoundary what="The oil specification">
          <Suspense fallback={null}>
            <OilDialog vehicle={vehicle} open={open} onClose={() => setOpen(false)} />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}

/** What to know of the values before they are trusted. */
function noteOf(specs: Schemas['OilSpecs'] | undefined): string | undefined {
  const note = NOTES[specs?.source ?? 'fallback'];
  if (note !== undefined || specs === undefined) return note;
  const { oilType, oilCapacity } = specs.basis;
  // The owner may have entered one of the two.
  if (oilType?.source === 'fallback') return 'Type: common value';
  if (oilCapacity?.source === 'fallback') return 'Capacity: common value';
  const confidence = Math.min(oilType?.confidence ?? 1, oilCapacity?.confidence ?? 1);
  return confidence < SURE_FROM ? `${formatPercent(confidence)} sure, verify` : undefined;
}

type TileProps = {
  type: string;
  capacity: string;
  /** What to know of the values. */
  note?: string | undefined;
  disabled?: boolean;
  /** A pointer or the focus has come to it. */
  onReach?: () => void;
  onClick?: () => void;
};

function Tile({ type, capacity, note, disabled = false, onReach, onClick }: TileProps) {
  return (
    <button
      type="button"
      disabled={disabled}
      onPointerEnter={onReach}
      onFocus={onReach}
      onClick={onClick}
      className={classNames(
        'flex w-full flex-wrap items-center gap-3 rounded-lg border bg-surface p-4 text-left transition-colors',
        disabled ? 'text-muted' : 'hover:border-control hover:bg-raised',
      )}
    >
      <span
        className={classNames(
          'grid size-11 shrink-0 place-items-center rounded-full',
          disabled ? 'bg-raised text-muted' : 'bg-warn-wash text-warn',
        )}
      >
        <Droplet className="size-5" aria-hidden />
      </span>
      {/* Values that are too long to stand beside the name, such as "See owner's manual", stand below it. */}
      <span className="flex min-w-0 flex-1 basis-48 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="grid gap-0.5">
          <span className="font-semibold">Oil &amp; Filter</span>
          {note !== undefined && <span className="text-xs text-muted">{note}</span>}
        </span>
        <span className="grid grid-cols-[auto_auto] gap-x-3 text-sm">
          <span className="text-muted">Type</span>
          <span className="text-right font-medium">{type}</span>
          <span className="text-muted">Capacity</span>
          <span className="text-right font-medium">{capacity}</span>
        </span>
      </span>
    </button>
  );
}
