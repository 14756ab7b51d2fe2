import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { categoryName } from '@/api/part-category';
import { FindPart } from '@/app/routes/find-part';
import { PageNotFound } from '@/app/routes/not-found';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { QueryState } from '@/components/query-state';
import { Garage } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ADD_VEHICLE, paths } from '@/config/paths';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { authQueries } from '@/features/accounts/auth/queries';
import { PartsBrowser } from '@/features/parts/browser/components/parts-browser';
import { categoryOf, type PartCategory } from '@/features/parts/browser/model';
import { FitPanel } from '@/features/parts/fit/components/fit-panel';
import { MissingSources, OfferList } from '@/features/parts/offers/components/suppliers-tab';
import { vehicleQueries } from '@/features/garage/vehicles/queries';

export function PartsRoute() {
  const user = useQuery(authQueries.user());
  const category = categoryOf(useParams().category);
  if (category === null) {
    return (
      <PageNotFound>The parts category you&apos;re looking for doesn&apos;t exist.</PageNotFound>
    );
  }
  return (
    <div className="page grid gap-5">
      <title>{`Partsight - ${categoryName(category)}`}</title>
      {user.data === undefined && <Heading category={category} />}
      <SignedIn
        label="Loading parts"
        visitor={
          <>
            <Heading category={category} />
            <SignInRequired picture={<EmptyShelf />}>Sign in to browse parts.</SignInRequired>
          </>
        }
      >
        {(user) => (
          <>
            {/* Folded: a category may have a search box of its own, and two beside each other look alike. */}
            <details>
              <summary className="w-fit cursor-pointer rounded-sm py-1 text-sm font-medium text-soft hover:text-ink">
                Look in all categories, or for a part number
              </summary>
              <div className="mt-2">
                <FindPart />
              </div>
            </details>
            <Parts key={category} category={category} inPlan={user.planType !== 'basic'} />
          </>
        )}
      </SignedIn>
    </div>
  );
}

type HeadingProps = { category: PartCategory };

/** What the screen is about where there are no parts to say it, such as without a connection. */
function Heading({ category }: HeadingProps) {
  return <h1 className="page-title">{categoryName(category)}</h1>;
}

type PartsProps = { category: PartCategory; inPlan: boolean };

function Parts({ category, inPlan }: PartsProps) {
  const vehicle = useQuery(vehicleQueries.default());
  const vehicles = useQuery(vehicleQueries.list()).data ?? [];
  if (vehicle.data === undefined) {
    return (
      <>
        <Heading category={category} />
        <QueryState query={vehicle} what="Your vehicle" label="Loading parts" />
      </>
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

function VehicleRequired({ category }: HeadingProps) {
  return (
    <>
      <Heading category={category} />
      <Card>
        <EmptyState
          picture={<Garage />}
          title="Vehicle Required"
          action={
            <Button asChild look="primary">
              <Link to={paths.vehicle} state={ADD_VEHICLE}>
                Add Vehicle
              </Link>
            </Button>
          }
        >
          Please add a vehicle to browse {category} parts.
        </EmptyState>
      </Card>
    </>
  );
}
