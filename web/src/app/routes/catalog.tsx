import { useQuery } from '@tanstack/react-query';
import { GraduationCap, Stethoscope } from 'lucide-react';
import { Link } from 'react-router';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { SignedInPage } from '@/app/routes/signed-in-page';
import { ManagersOnly } from '@/components/managers-only';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';
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
    <SignedInPage
      title="Taught Parts"
      about="What the scanner does not know by itself, it learns from one to five photos."
      action={
        user.data != null && (
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
        )
      }
      label="Loading taught parts"
      signIn="Sign in to teach parts."
    >
      {() => (
        <>
          {mayChange === false && <ManagersOnly />}
          <TypeList onTeach={mayChange === true ? teach : null} />
          {mayChange === true && params.get('teach') === 'new' && (
            <TeachDialog known={null} onClose={() => change({ teach: null }, { replace: true })} />
          )}
        </>
      )}
    </SignedInPage>
  );
}
