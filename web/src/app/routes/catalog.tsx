import { useQuery } from '@tanstack/react-query';
import { GraduationCap, Stethoscope } from 'lucide-react';
import { Link } from 'react-router';
import { BackToShop } from '@/app/routes/shop/back-to-shop';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { EmptyShelf } from '@/components/empty-shelf';
import { ManagersOnly } from '@/components/managers-only';
import { SignInRequired } from '@/components/sign-in-required';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { authQueries } from '@/features/accounts/auth/queries';
import { TeachDialog } from '@/features/teaching/taught-parts/components/teach-dialog';
import { TypeList } from '@/features/teaching/taught-parts/components/type-list';
import { useAddressParams } from '@/hooks/use-address-params';

/** The parts that people taught, and the form that teaches one. */
export function CatalogRoute() {
  const user = useQuery(authQueries.user());
  const mayChange = useMayChange();
  const [params, change] = useAddressParams();
  const teach = () => change({ teach: 'new' });
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Taught Parts</title>
      <BackToShop />
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h1 className="page-title">Taught Parts</h1>
          <p className="mt-1 max-w-xl text-soft">
            What the scanner does not know by itself, it learns from one to five photos.
          </p>
        </div>
        {user.data != null && (
          <div className="flex flex-wrap gap-2">
            <Button asChild>
              <Link to={paths.catalogDoctor}>
                <Stethoscope className="size-4" aria-hidden />
                Check Photos
              </Link>
            </Button>
            {mayChange === true && (
              <Button look="primary" onClick={teach}>
                <GraduationCap className="size-4" aria-hidden />
                Teach a Part
              </Button>
            )}
          </div>
        )}
      </header>
      <SignedIn
        label="Loading taught parts"
        visitor={<SignInRequired picture={<EmptyShelf />}>Sign in to teach parts.</SignInRequired>}
      >
        {() => (
          <>
            {mayChange === false && <ManagersOnly />}
            <TypeList onTeach={mayChange === true ? teach : null} />
            {mayChange === true && params.get('teach') === 'new' && (
              <TeachDialog
                known={null}
                onClose={() => change({ teach: null }, { replace: true })}
              />
            )}
          </>
        )}
      </SignedIn>
    </div>
  );
}
