import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useRef } from 'react';
import type { Schemas } from '@/api/client';
import { CategoryTiles } from '@/app/routes/home-category-tiles';
import { HomeShop } from '@/app/routes/home-shop';
import { HomeWaiting } from '@/app/routes/home-waiting';
import { hasShop } from '@/app/routes/shop/has-shop';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { QueryState } from '@/components/query-state';
import { LoadingBlock } from '@/components/ui/skeleton';
import { useToast } from '@/components/ui/use-toast';
import { useSignInRedirect } from '@/hooks/use-sign-in-redirect';
import { useStaleStep } from '@/hooks/use-stale-step';
import { OilTile } from '@/features/garage/oil/components/oil-tile';
import { AllowanceCard } from '@/features/plans/subscription/components/allowance-card';
import { subscriptionQueries } from '@/features/plans/subscription/queries';
import { VehicleRequiredNotice } from '@/components/vehicle-required-notice';
import { vehicleQueries } from '@/features/garage/vehicles/queries';
import { ScanHistory } from '@/features/scanning/history/components/scan-history';
import { Scanner } from '@/features/scanning/capture/components/scanner';
import { useScanFlow } from '@/features/scanning/capture/use-scan-flow';
import { classNames } from '@/lib/class-names';
import { vehicleName } from '@/lib/format';

// What an answer looks like is not needed before there is one.
const HomeAnswer = lazyComponent(async () => (await import('@/app/routes/home-answer')).HomeAnswer);

type HomeScannerProps = { user: Schemas['User'] };

/** The signed-in home screen: camera on one side, the answer or what was scanned on the other. */
export function HomeScanner({ user }: HomeScannerProps) {
  const toast = useToast();
  const goToSignIn = useSignInRedirect();
  const defaultVehicle = useQuery(vehicleQueries.default());
  const vehicles = useQuery(vehicleQueries.list());
  const vehicle = defaultVehicle.data ?? null;
  const { data: limits, refetch: readLimits } = useQuery(subscriptionQueries.limits());

  const scan = useScanFlow({
    userId: user.id,
    vehicle,
    // Read anew before a scan is refused: the plan may have changed elsewhere.
    hasScansLeft: async () => limits?.remaining !== 0 || (await readLimits()).data?.remaining !== 0,
    onSignInNeeded: (message) => {
      toast({ title: 'Unauthorized', description: message, tone: 'bad' });
      goToSignIn();
    },
  });
  const { flow } = scan;
  const historyHeading = useRef<HTMLHeadingElement>(null);
  const closeAnswer = () => {
    scan.close();
    // The button that closed it is gone, and with it the focus.
    historyHeading.current?.focus();
  };
  const camera = useRef<HTMLDivElement>(null);
  const scanNext = () => {
    // Before the answer closes, so that closing it is all that moves the page.
    camera.current?.focus({ preventScroll: true });
    scan.close();
    window.scrollTo({ top: 0 });
  };
  const answerId =
    flow.state === 'result' ? flow.view.id : flow.state === 'kept' ? flow.scan.id : undefined;
  const hasResult = answerId !== undefined;
  useStaleStep(() => {
    scan.showAgain();
    return hasResult || (flow.state === 'idle' && flow.closed !== undefined);
  });

  // With an answer on a phone, the camera stands between it and all else: there the answer comes first in the document
  // too. Not looked at again while it is open, since what is typed in it would be lost with its place.
  const isAnswerFirst = useMemo(
    () => answerId !== undefined && !window.matchMedia('(min-width: 64rem)').matches,
    [answerId],
  );
  const answer = (
    <div className="grid grid-cols-1 gap-4 empty:hidden max-lg:order-1 sm:gap-5 lg:col-start-2">
      <Suspense fallback={<LoadingBlock label="Loading the result" rowClassName="h-96" rows={1} />}>
        {answerId !== undefined && (
          <ErrorBoundary key={answerId} what="The result">
            <HomeAnswer
              scan={scan}
              vehicles={vehicles.data ?? []}
              onClose={closeAnswer}
              onScanNext={scanNext}
            />
          </ErrorBoundary>
        )}
      </Suspense>
    </div>
  );

  return (
    <div
      className={classNames(
        'page grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]',
        hasResult && 'lg:grid-rows-[auto_1fr]',
      )}
    >
      <title>Partsight - Scan</title>
      <h1 tabIndex={-1} className="sr-only">
        Scan
      </h1>
      {isAnswerFirst && answer}
      <div
        ref={camera}
        tabIndex={-1}
        className={classNames(
          'outline-none',
          // On a lower window its end could not be scrolled into view beside a long result.
          'grid grid-cols-1 gap-4 sm:gap-5 lg:[@media(min-height:46rem)]:sticky lg:top-21',
          hasResult && 'max-lg:order-2 lg:col-start-1 lg:row-span-2 lg:row-start-1',
        )}
      >
        {defaultVehicle.data === null && (
          <VehicleRequiredNotice>
            Prices and guides depend on the car. Add yours, then scan.
          </VehicleRequiredNotice>
        )}
        <QueryState
          query={defaultVehicle}
          what="Your vehicle"
          label="Loading your vehicle"
          rows={1}
          rowClassName="h-96"
        />
        {defaultVehicle.data !== undefined && <Scanner hasVehicle={vehicle !== null} scan={scan} />}
        <AllowanceCard />
      </div>
      {!isAnswerFirst && answer}
      <div className="grid grid-cols-1 gap-4 max-lg:order-3 sm:gap-5 lg:col-start-2">
        <HomeWaiting userId={user.id} defaultVehicle={vehicle} />
        {hasShop(user) && <HomeShop />}
        {defaultVehicle.data !== undefined && (
          <>
            <CategoryTiles enabled={vehicle !== null} />
            <OilTile vehicle={vehicle} />
          </>
        )}
        {defaultVehicle.data !== undefined && (
          <ScanHistory
            vehicle={vehicle === null ? null : { id: vehicle.id, name: vehicleName(vehicle) }}
            heading={historyHeading}
            onOpen={scan.reopen}
          />
        )}
      </div>
    </div>
  );
}
