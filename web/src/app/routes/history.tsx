import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useSearchParams } from 'react-router';
import { EmptyState } from '@/components/empty-state';
import { LoadFailure } from '@/components/load-failure';
import { EmptyShelf } from '@/components/pictures';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { LoadingBlock } from '@/components/ui/skeleton';
import { serverPaths } from '@/config/paths';
import { authQueries } from '@/features/auth/queries';
import { ScanHistory } from '@/features/scan/components/scan-history';
import { ScanResult } from '@/features/scan/components/scan-result';
import { HISTORY_PAGE_SIZE, scanQueries } from '@/features/scan/queries';
import { viewOfRecent } from '@/features/scan/scan-view';
import { vehicleQueries } from '@/features/vehicles/queries';

/** All scans that the plan lets a person see. The opened one is in the address. */
export function HistoryRoute() {
  const user = useQuery(authQueries.user());
  return (
    <div className="page grid gap-5">
      <title>Partsight - History</title>
      <h1 className="page-title">History</h1>
      {user.isPending && <LoadingBlock label="Loading scans" />}
      {user.isLoadingError && (
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      )}
      {user.data === null && <SignInRequired />}
      {user.data != null && <Scans />}
    </div>
  );
}

function Scans() {
  const [params, setParams] = useSearchParams();
  const scans = useQuery(scanQueries.recent(HISTORY_PAGE_SIZE, null));
  const defaultVehicle = useQuery(vehicleQueries.default());
  const heading = useRef<HTMLHeadingElement>(null);
  const opened = scans.data?.find((scan) => scan.id === params.get('scan'));
  return (
    <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      {opened !== undefined && (
        <div className="lg:order-2">
          <ScanResult
            key={opened.id}
            view={viewOfRecent(opened)}
            photo={null}
            defaultVehicle={defaultVehicle.data ?? null}
            onClose={() => {
              setParams({});
              heading.current?.focus();
            }}
          />
        </div>
      )}
      <div className={opened === undefined ? 'lg:col-span-2' : undefined}>
        <ScanHistory
          vehicle={null}
          limit={HISTORY_PAGE_SIZE}
          heading={heading}
          onOpen={({ id }) => {
            setParams({ scan: id });
          }}
        />
      </div>
    </div>
  );
}

function SignInRequired() {
  return (
    <Card>
      <EmptyState
        picture={<EmptyShelf />}
        title="Sign In Required"
        action={
          <Button asChild look="primary">
            <a href={serverPaths.signIn}>Sign In</a>
          </Button>
        }
      >
        Sign in to see the parts you have scanned.
      </EmptyState>
    </Card>
  );
}
