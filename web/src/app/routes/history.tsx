import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { CATEGORIES } from '@/api/part-category';
import { OpenedScan } from '@/app/routes/history-opened-scan';
import { EmptyShelf } from '@/components/empty-shelf';
import { SignInLink } from '@/components/sign-in-link';
import { SignInRequired } from '@/components/sign-in-required';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { HistoryFilters } from '@/features/scanning/history/components/history-filters';
import { HistoryList } from '@/features/scanning/history/components/history-list';
import { scanRowId } from '@/features/scanning/history/components/scan-list';
import type { HistoryFilter } from '@/features/scanning/history/queries';
import { vehicleQueries } from '@/features/garage/vehicles/queries';
import { useAddressParams } from '@/hooks/use-address-params';
import { useOpened } from '@/hooks/use-opened';
import { vehicleName } from '@/lib/format';

/** All scans that the plan lets a person see. The opened one is in the address. */
export function HistoryRoute() {
  return (
    <div className="page grid gap-5">
      <title>Partsight - History</title>
      <h1 className="page-title">History</h1>
      <SignedIn
        label="Loading scans"
        visitor={
          <SignInRequired picture={<EmptyShelf />} action={<SignInLink />}>
            Sign in to see the parts you have scanned.
          </SignInRequired>
        }
      >
        {() => <Scans />}
      </SignedIn>
    </div>
  );
}

function Scans() {
  const [params, change] = useAddressParams();
  const vehicles = useQuery(vehicleQueries.list());
  const filter: HistoryFilter = {
    search: params.get('q') ?? '',
    vehicleId: params.get('vehicle'),
    category: CATEGORIES.find((category) => category === params.get('category')) ?? null,
  };
  const changeFilter = ({ search, vehicleId, category }: Partial<HistoryFilter>) =>
    change(
      {
        ...(search !== undefined && { q: search }),
        ...(vehicleId !== undefined && { vehicle: vehicleId }),
        ...(category !== undefined && { category }),
      },
      { replace: true },
    );
  const { opened: openedId, open, close } = useOpened('scan');
  const heading = useHeadingOrRow(openedId);
  const vehicle = vehicles.data?.find(({ id }) => id === filter.vehicleId);
  return (
    <>
      <HistoryFilters filter={filter} vehicles={vehicles.data ?? []} onChange={changeFilter} />
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        {openedId !== null && (
          <div className="lg:order-2">
            <OpenedScan key={openedId} id={openedId} onClose={close} />
          </div>
        )}
        <div className={openedId === null ? 'lg:col-span-2' : undefined}>
          <HistoryList
            filter={filter}
            vehicle={vehicle === undefined ? null : { id: vehicle.id, name: vehicleName(vehicle) }}
            heading={heading}
            openedId={openedId}
            onOpen={open}
            onRemove={(id) => {
              if (id === openedId) close();
            }}
            onClearFilter={() => {
              changeFilter({ search: '', vehicleId: null, category: null });
              heading.current?.focus();
            }}
          />
        </div>
      </div>
    </>
  );
}

/**
 * A scan that closes, by its button or by the way back, takes the focus along: the row of the scan has it then, or the
 * heading, which this is for, where the list does not show the row.
 */
function useHeadingOrRow(openedId: string | null) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(openedId);
  useLayoutEffect(() => {
    const closed = openedId === null ? before.current : null;
    before.current = openedId;
    if (closed === null || document.activeElement !== document.body) return;
    (document.getElementById(scanRowId(closed)) ?? heading.current)?.focus();
  }, [openedId]);
  return heading;
}
