import { useMutation, useQuery } from '@tanstack/react-query';
import { UnreachableError } from '@/api/api-error';
import { LoadFailure } from '@/components/load-failure';
import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { Spinner } from '@/components/ui/spinner';
import { authQueries } from '@/features/accounts/auth/queries';
import { OneBench } from '@/features/bench/components/one-bench';
import { vehicleMutations } from '@/features/garage/vehicles/mutations';
import { vehicleQueries } from '@/features/garage/vehicles/queries';
import { ownerQuery } from '@/features/scanning/offline-queue/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useLastError } from '@/hooks/use-last-error';

/** How often a server that is away is asked who is signed in, in ms. */
const ASK_AGAIN_MS = 10_000;

/** Parts laid under a camera one after the other. */
export function BenchRoute() {
  const user = useQuery({
    ...authQueries.user(),
    refetchInterval: ({ state }) =>
      state.error instanceof UnreachableError ? ASK_AGAIN_MS : false,
  });
  const vehicle = useQuery(vehicleQueries.default());
  const vehicles = useQuery(vehicleQueries.list());
  // Who used this browser last goes on without a server: what is photographed is kept.
  const errors = [useLastError(user), useLastError(vehicle)];
  const isAway = errors.some((error) => error instanceof UnreachableError);
  const owner = useQuery({ ...ownerQuery(), enabled: isAway });
  const fail = useFailureToast();
  const choose = useMutation({
    mutationFn: vehicleMutations.setDefault,
    onError: (error) => fail(error, 'The vehicle could not be changed. Please try again.'),
  });

  if (user.data === null) {
    return (
      <div className="page grid gap-5">
        <title>Partsight - Bench</title>
        <h1 className="page-title">Bench</h1>
        <SignInRequired picture={<Logbook />}>
          Sign in to scan parts at a bench. Photos that wait in this browser are sent then.
        </SignInRequired>
      </div>
    );
  }
  const userId = user.data?.id ?? (isAway ? owner.data?.userId : undefined);
  const ownVehicle = vehicle.data === undefined && isAway ? owner.data?.vehicle : vehicle.data;
  if (userId !== undefined && ownVehicle !== undefined) {
    return (
      <OneBench
        // Nothing of one person's list may stay on the screen of the next.
        key={userId}
        userId={userId}
        vehicle={ownVehicle}
        vehicles={vehicles.data ?? []}
        onVehicle={choose.mutate}
      />
    );
  }
  const failed = [user, vehicle].find(({ isLoadingError }) => isLoadingError);
  if (failed === undefined || (isAway && owner.isPending)) {
    return <Spinner label="Loading the bench" />;
  }
  return (
    <div className="page max-w-xl">
      <LoadFailure what="Your account" query={failed} />
    </div>
  );
}
