import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { categoryName } from '@/api/part-category';
import { FindPart } from '@/app/routes/find-part';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { LoadFailure } from '@/components/load-failure';
import { DeadEnd, Garage } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { LoadingBlock } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { authQueries } from '@/features/accounts/auth/queries';
import { PartsBrowser } from '@/features/parts/browser/components/parts-browser';
import { categoryOf, type PartCategory } from '@/features/parts/browser/model';
import { FitPanel } from '@/features/parts/fit/components/fit-panel';
import { MissingSources, OfferList } from '@/features/parts/offers/components/suppliers-tab';
import { vehicleQueries } from '@/features/garage/vehicles/queries';

export function PartsRoute() {
  const category = categoryOf(useParams().category);
  const user = useQuery(authQueries.user());
  if (category === null) return <UnknownCategory />;
  return (
    <div className="page grid gap-5">
      <title>{`Partsight - ${categoryName(category)}`}</title>
      {user.isPending && <LoadingBlock label="Loading parts" />}
      {user.isLoadingError && (
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      )}
      {user.data === null && (
        <>
          <h1 className="page-title">{categoryName(category)}</h1>
          <SignInRequired picture={<EmptyShelf />}>Sign in to browse parts.</SignInRequired>
        </>
      )}
      {user.data != null && <FindPart />}
      {user.data != null && (
        <Parts key={category} category={category} inPlan={user.data.planType !== 'basic'} />
      )}
    </div>
  );
}

type PartsProps = { category: PartCategory; inPlan: boolean };

function Parts({ category, inPlan }: PartsProps) {
  const vehicle = useQuery(vehicleQueries.default());
  const vehicles = useQuery(vehicleQueries.list()).data ?? [];
  if (vehicle.isPending) return <LoadingBlock label="Loading parts" />;
  if (vehicle.isLoadingError) {
    return (
      <LoadFailure
        what="Your vehicle"
        error={vehicle.error}
        onRetry={() => void vehicle.refetch()}
      />
    );
  }
  if (vehicle.data == null) return <VehicleRequired category={category} />;
  return (
    <PartsBrowser
      category={category}
      vehicle={vehicle.data}
      offers={({ suppliers, sources }) => (
        <>
          {suppliers.length > 0 && <OfferList suppliers={suppliers} />}
          <MissingSources sources={sources} />
        </>
      )}
      extras={(id) => <FitPanel partId={id} vehicles={vehicles} inPlan={inPlan} heading="h3" />}
    />
  );
}

function VehicleRequired({ category }: Pick<PartsProps, 'category'>) {
  return (
    <>
      <h1 className="page-title">{categoryName(category)}</h1>
      <Card>
        <EmptyState
          picture={<Garage />}
          title="Vehicle Required"
          action={
            <Button asChild look="primary">
              <Link to={paths.vehicle}>Add Vehicle</Link>
            </Button>
          }
        >
          Please add a vehicle to browse {category} parts.
        </EmptyState>
      </Card>
    </>
  );
}

function UnknownCategory() {
  return (
    <div className="page grid max-w-xl justify-items-center gap-5 py-16 text-center">
      <title>Partsight - Page Not Found</title>
      <div className="text-muted [&_svg]:h-36">
        <DeadEnd />
      </div>
      <div>
        <h1 className="page-title">Page Not Found</h1>
        <p className="mt-2 text-soft">
          The parts category you&apos;re looking for doesn&apos;t exist.
        </p>
      </div>
      <Button asChild look="primary">
        <Link to={paths.home}>Go Home</Link>
      </Button>
    </div>
  );
}
